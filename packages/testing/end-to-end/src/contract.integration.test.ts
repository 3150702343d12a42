import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { connect } from "node:net";
import { type Service, startService } from "@video-to-json/stack/service";
import { codeOf, documentedCases, type Sent, sendRequest, serveLocally } from "@video-to-json/testing";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedOf, bearer } from "./service-facts.ts";

const opened = new AsyncDisposableStack();
let service: Service;
let clip: Buffer;
let videoUrl: string;
let broke: string;
beforeAll(async () => {
  const site = opened.use(await serveLocally((_request, response) => response.end(clip)));
  videoUrl = `${site.url}/clip.mp4`;
  const env = {
    DRAIN_SECONDS: "4",
    FETCH_ALLOW_HOSTS: site.host,
    MAX_VIDEO_SECONDS: "6",
    MAX_UPLOAD_BYTES: "1000000",
    MAX_JOBS_PER_ACCOUNT: "1",
    JOB_TIMEOUT_SECONDS: "30",
    EXTRACTIONS_PER_MINUTE: "40",
    READS_PER_MINUTE: "40",
  };
  service = opened.use(await startService({ apis: 2, env }));
  clip = await readFile(service.video);
  broke = await service.newKey(59);
});
afterAll(() => opened.disposeAsync());

const json = { "content-type": "application/json" };
const mcpHeaders = { ...json, accept: "application/json, text/event-stream" };

/** Sends a request, by default with the key of the service, and checks the response against the description. */
async function send(sent: Sent) {
  const headers = { ...bearer(service.apiKey), ...sent.headers };
  const exchange = await sendRequest(service.baseUrl, { ...sent, headers });
  expect(service.contract.faultsOf(exchange)).toEqual([]);
  return exchange;
}

const post =
  (path: string, types: Record<string, string>) =>
  (body: unknown, headers: Record<string, string> = {}) =>
    send({
      ...{ method: "POST", path, headers: { ...types, ...headers } },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
const extract = post("/v1/extract", json);
const call = post("/v1/mcp", mcpHeaders);

async function upload(fields: Record<string, string | Uint8Array>, headers: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ schema: '{"main_color":"red|green|blue"}', ...fields })) {
    form.append(name, typeof value === "string" ? value : new File([new Uint8Array(value)], "clip.mp4"));
  }
  return send({ method: "POST", path: "/v1/extract", headers, body: form });
}
const uploadClip = (fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  upload({ ...fields, video: clip }, headers);

const schema = { main_color: "red|green|blue" };
const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const modern = "io.modelcontextprotocol";
const _meta = {
  [`${modern}/protocolVersion`]: "2026-07-28",
  [`${modern}/clientInfo`]: { name: "test", version: "1" },
  [`${modern}/clientCapabilities`]: {},
};
const unknownMethod = { jsonrpc: "2.0", id: 1, method: "nothing", params: { _meta } };

/** One request of each operation, for the errors that all operations have. */
const simple: Record<string, Sent> = {
  extractVideo: { method: "POST", path: "/v1/extract", headers: json, body: JSON.stringify({ schema }) },
  listJobs: { path: "/v1/jobs" },
  getJob: { path: `/v1/jobs/${randomUUID()}` },
  getEvidence: { path: `/v1/jobs/${randomUUID()}/evidence` },
  deleteJob: { method: "DELETE", path: `/v1/jobs/${randomUUID()}` },
  getAccount: { path: "/v1/me" },
  getInterface: { path: "/v1/openapi.json" },
  callMcp: { method: "POST", path: "/v1/mcp", headers: mcpHeaders, body: JSON.stringify(listTools) },
};
const simpleOf = (operation: string, headers: Record<string, string> = {}): Sent => {
  const sent = simple[operation];
  if (!sent) throw new Error(`There is no request for ${operation}.`);
  return { ...sent, headers: { ...sent.headers, ...headers } };
};

/** The responses of a draining API to these requests, on connections from before the drain. Obtained once. */
let refusals: Promise<Record<string, Awaited<ReturnType<typeof sendRequest>>>> | undefined;
const beforeUploads = Object.keys(simple).filter((operation) => operation !== "extractVideo");
async function refuseAll() {
  const [, baseUrl = ""] = service.apiUrls;
  const kept = beforeUploads.map((operation) => ({ operation, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }));
  for (const { agent } of kept) await sendRequest(baseUrl, { path: "/docs/openapi.json", agent });
  process.kill(service.processOf("api-2").pid, "SIGTERM");
  await expect.poll(() => knock(Number(new URL(baseUrl).port))).toBe("ECONNREFUSED");
  const answers = kept.map(async ({ operation, agent }) => {
    const sent = simpleOf(operation, bearer(service.apiKey));
    return [operation, await sendRequest(baseUrl, { ...sent, agent })] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

function knock(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.once("connect", () => socket.destroy());
  });
}

async function refusedBy(operation: string) {
  refusals ??= refuseAll();
  const answer = (await refusals)[operation];
  if (!answer) throw new Error(`There is no response to ${operation}.`);
  expect(service.contract.faultsOf(answer)).toEqual([]);
  return answer;
}

const turnedAway = beforeUploads.map((operation): [string, () => ReturnType<typeof send>] => [
  `${operation} 503 provider_unavailable`,
  () => refusedBy(operation),
]);
const everywhere = Object.keys(simple).flatMap((operation): [string, () => ReturnType<typeof send>][] => [
  [`${operation} 400 invalid_request`, () => send({ ...simpleOf(operation), host: false })],
  [`${operation} 401 unauthorised`, () => send(simpleOf(operation, bearer("v2j_live_nobody")))],
  [`${operation} 429 rate_limited`, () => untilRefused(simpleOf(operation, bearer(broke)))],
  [`${operation} 500 internal_error`, () => withoutKeys(() => send(simpleOf(operation)))],
]);

async function untilRefused(sent: Sent) {
  for (let i = 0; i < 40; i++) {
    const answer = await send(sent);
    if (answer.status === 429) return answer;
  }
  return send(sent);
}

async function withoutKeys<T>(run: () => Promise<T>): Promise<T> {
  const sql = postgres(service.database.url, { max: 1, onnotice: () => {} });
  try {
    await sql`ALTER TABLE api_keys RENAME TO away`;
    return await run();
  } finally {
    await sql`ALTER TABLE IF EXISTS away RENAME TO api_keys`;
    await sql.end();
  }
}

const cases: [string, () => ReturnType<typeof send>][] = [
  ...everywhere,
  ...turnedAway,
  ["extractVideo 200", () => uploadClip()],
  ["extractVideo 400 schema_missing", () => extract({ video_url: videoUrl })],
  ["extractVideo 400 schema_invalid", () => extract({ video_url: videoUrl, schema: { a: null } })],
  ["extractVideo 400 video_missing", () => extract({ schema })],
  ["extractVideo 400 video_unreachable", () => extract({ schema, video_url: "http://169.254.169.254/" })],
  ["extractVideo 402 out_of_minutes", async () => extract({ schema }, bearer(await service.newKey(0)))],
  [
    "extractVideo 404 not_found",
    async () => {
      const key = { "idempotency-key": "deleted" };
      const id = (await uploadClip({}, key)).header("job-id");
      await send({ method: "DELETE", path: `/v1/jobs/${id}` });
      return uploadClip({}, key);
    },
  ],
  [
    "extractVideo 409 idempotency_mismatch",
    async () => {
      await uploadClip({}, { "idempotency-key": "one" });
      return uploadClip({ instructions: "another" }, { "idempotency-key": "one" });
    },
  ],
  [
    "extractVideo 413 video_too_long",
    async () => {
      const answer = await upload({ video: await service.videoOf(7) });
      const { body } = await send({ path: `/v1/jobs/${answer.header("job-id")}` });
      expect(JSON.parse(body)).toMatchObject({ video: { duration_seconds: 7 }, billed_seconds: 0 });
      return answer;
    },
  ],
  ["extractVideo 413 file_too_large", () => upload({ video: new Uint8Array(1_000_001) })],
  ["extractVideo 415 media_unreadable", () => upload({ video: Buffer.from("no video") })],
  [
    "extractVideo 422 extraction_failed",
    async () => {
      await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
      return uploadClip();
    },
  ],
  [
    "extractVideo 429 too_many_jobs",
    async () => {
      await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2000 }]);
      const asked = await askedOf(service);
      const first = uploadClip();
      await service.emulator.waitFor({ "requests.generate": asked + 1 });
      const second = await uploadClip();
      await first;
      return second;
    },
  ],
  ["listJobs 200", () => send(simpleOf("listJobs"))],
  ["deleteJob 204", async () => send({ method: "DELETE", path: `/v1/jobs/${(await uploadClip()).header("job-id")}` })],
  ["deleteJob 404 not_found", () => send(simpleOf("deleteJob"))],
  ["getJob 200", async () => send({ path: `/v1/jobs/${(await uploadClip()).header("job-id")}` })],
  ["getJob 404 not_found", () => send(simpleOf("getJob"))],
  [
    "getEvidence 200",
    async () => {
      const asked = await uploadClip({}, { "extract-evidence": "fields" });
      return send({ path: `/v1/jobs/${asked.header("job-id")}/evidence` });
    },
  ],
  ["getEvidence 404 not_found", () => send(simpleOf("getEvidence"))],
  ["getAccount 200", () => send(simpleOf("getAccount"))],
  ["getInterface 200", () => send(simpleOf("getInterface"))],
  ["callMcp 200", () => call(listTools)],
  ["callMcp 202", () => call({ jsonrpc: "2.0", method: "notifications/initialized" })],
  ["callMcp 400", () => call([listTools])],
  ["callMcp 403", () => call(listTools, { origin: "https://pages.example.com" })],
  ["callMcp 404", () => call(unknownMethod, { "mcp-protocol-version": "2026-07-28", "mcp-method": "nothing" })],
  ["callMcp 406", () => call(listTools, { accept: "application/json" })],
  ["callMcp 413", () => call(" ".repeat(4 * 1024 ** 2 + 1))],
  ["callMcp 415", () => call(listTools, { "content-type": "text/plain" })],
  // The last case, because the workers then pause for the time that the provider requests.
  [
    "extractVideo 503 provider_unavailable",
    async () => {
      await service.emulator.setFaults([{ on: "generate", kind: "status", status: 429, retryDelay: "100s" }]);
      return uploadClip();
    },
  ],
];

test("there is a request for every response of the interface description", () => {
  expect(cases.map(([name]) => name).sort()).toEqual(documentedCases(service.contract.document).sort());
});

test("every example request of the interface description succeeds with a real video", async () => {
  const answers: [string, number][] = [];
  const { paths } = service.contract.document;
  for (const [operation, template] of [
    ["extractVideo", "/v1/extract"],
    ["callMcp", "/v1/mcp"],
  ] as const) {
    const content = paths[template]?.post?.requestBody?.content ?? {};
    for (const [type, { examples = {} }] of Object.entries(content)) {
      for (const [name, { value }] of Object.entries(examples)) {
        const text = JSON.stringify(value).replaceAll(/https:[^"]+\.mp4/g, videoUrl);
        const given = JSON.parse(text) as Record<string, string>;
        const { video, ...fields } = given;
        const answer =
          operation === "callMcp"
            ? await call(text)
            : type === "application/json"
              ? await extract(text)
              : await (video === undefined ? upload(fields) : uploadClip(fields));
        expect(answer.body).not.toContain("isError");
        answers.push([`${operation} ${name}`, answer.status]);
      }
    }
  }
  expect(answers.length).toBeGreaterThanOrEqual(7);
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
});

test.each(cases)("the service sends the response %s as described", async (name, provoke) => {
  const { status, body } = await provoke();
  const code = status < 400 ? undefined : codeOf(JSON.parse(body));
  expect(`${status} ${code ?? ""}`.trim()).toBe(name.slice(name.indexOf(" ") + 1));
});
