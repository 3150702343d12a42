import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect as connectSocket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { signInLink } from "@video-to-json/stack";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { box, serveLocally, type WebServer } from "@video-to-json/testing";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "./mcp-service.ts";
import { bearer, connect, logsOf } from "./service-facts.ts";

const word = (what: string) => `${what}${randomBytes(8).toString("hex")}`;
const secrets = {
  url: word("UrlSecret"),
  bytes: word("VideoBytes"),
  schema: word("SchemaKey"),
  instructions: word("Instruction"),
  answer: word("AnswerText"),
  idempotencyKey: word("IdempotencyKey"),
  unknownKey: word("v2j_live_Unknown"),
  query: word("QueryText"),
};

const foundIn = (text: string, all: Record<string, string>) =>
  Object.entries(all).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

let site: WebServer;
let service: Service;
let redis: Awaited<ReturnType<typeof recordRedisCommands>>;
let clip: Buffer;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  site = opened.use(
    await serveLocally((request, response) => {
      if (request.url?.startsWith("/missing")) response.writeHead(404).end(secrets.bytes);
      else if (request.url?.startsWith("/moved"))
        response.writeHead(302, { location: `/missing?t=${secrets.url}` }).end();
      else response.end(request.url?.startsWith("/text") ? secrets.bytes : clip);
    }),
  );
  const env = { FETCH_ALLOW_HOSTS: site.host, LOG_LEVEL: "trace", MAX_VIDEO_SECONDS: "6" };
  service = opened.use(await startService({ ownUser: true, workers: 2, env }));
  // Players ignore this box.
  clip = Buffer.concat([await readFile(service.video), box("free", Buffer.from(secrets.bytes))]);
  redis = opened.use(await recordRedisCommands(service.redis.url));
});
afterAll(() => opened.disposeAsync());

async function allLogs(): Promise<string> {
  const logs = await logsOf(service);
  expect(logs.length).toBe(3);
  return logs.join("\n");
}

test("no log, metric, command line, queue or response to another account contains keys, upload URLs, video bytes, schemas, instructions or answers", async () => {
  const owner = connect(service.database.url);
  const stranger = await service.newKey();
  const answers: string[] = [];
  const key = { "idempotency-key": secrets.idempotencyKey };
  const schema = { [secrets.schema]: `${secrets.answer}1|${secrets.answer}2` };
  const instructions = secrets.instructions;
  const url = (path: string) => `http://user:${secrets.url}@${site.host}/${path}?token=${secrets.url}`;
  const plainUrl = (path: string) => `${site.url}/${path}?token=${secrets.url}`;

  let commandLines = "";
  {
    await using watched = recordCommandLines();
    // Successful requests, at every entry point and in every form.
    const uploaded = await service.extract({ schema: JSON.stringify(schema), video: clip, instructions }, key);
    const fetched = await service.extractUrl({ schema, video_url: plainUrl("clip.mp4"), instructions });
    const tool = { baseUrl: service.baseUrl, key: service.apiKey };
    const called = await callTool(tool, "extract", { schema, video_url: plainUrl("called.mp4"), instructions });
    for (const text of [uploaded.text, fetched.text, called.answer?.text ?? ""]) {
      expect(foundIn(text, secrets)).toEqual(["schema", "answer"]);
    }
    // Failing requests.
    await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
    expect((await service.extract({ schema: JSON.stringify(schema), video: clip, instructions })).status).toBe(422);
    await service.emulator.setFaults([{ on: "generate", kind: "status", status: 400, times: 1 }]);
    await service.extract({ schema: JSON.stringify(schema), video: clip, instructions });
    for (const fault of [
      { on: "start", kind: "status", status: 500 },
      { on: "chunk", kind: "drop" },
      { on: "get", kind: "failed" },
      { on: "generate", kind: "malformed-body" },
    ] as const) {
      await service.emulator.setFaults([{ ...fault, times: 1 }]);
      await service.extract({ schema: JSON.stringify(schema), video: clip, instructions });
    }
    // Errors of the database, whose messages contain values: for the job at admission, and for its answer.
    for (const column of ["instructions", "data"]) {
      await owner.unsafe(`alter table jobs add constraint refusing check (${column} is null) not valid`);
      const refused = await service.extract({ schema: JSON.stringify(schema), video: clip, instructions });
      expect([column, refused.status]).toEqual([column, 500]);
      expect(foundIn(refused.text, secrets)).toEqual([]);
      await owner.unsafe("alter table jobs drop constraint refusing");
    }
    for (const path of ["missing", "moved", "text"]) {
      expect((await service.extractUrl({ schema, instructions, video_url: plainUrl(path) })).status).not.toBe(200);
    }
    for (const body of [
      { schema, instructions, video_url: url("clip.mp4") },
      { schema, instructions, video_url: `http://127.0.0.1:1/${secrets.url}` },
      { schema: { [secrets.schema]: null }, instructions, video_url: plainUrl("clip.mp4") },
      { schema: { $ref: `https://example.com/${secrets.schema}` }, video_url: plainUrl("clip.mp4") },
    ]) {
      expect((await service.extractUrl(body)).status).toBe(400);
    }
    expect((await service.extract({ video: Buffer.from(secrets.bytes), instructions })).status).toBe(415);
    expect((await service.extractUrl({ schema }, bearer(secrets.unknownKey))).status).toBe(401);
    await service.extractUrl({ schema, video_url: plainUrl("other.mp4"), instructions }, key);
    await service.read(`/v1/jobs/${uploaded.body.id}?${secrets.query}=${secrets.schema}`);

    // The responses that another account gets to the same requests.
    for (const path of [`/v1/jobs/${uploaded.body.id}`, `/v1/${secrets.query}`, "/v1/me"]) {
      answers.push((await service.read(path, stranger)).text);
    }
    const strange = { ...bearer(stranger), ...key };
    answers.push((await service.extractUrl({ schema: { main_color: "red|blue" } }, strange)).text);
    const other = await callTool({ ...tool, key: stranger }, "recent_extractions", {});
    answers.push(other.answer?.text ?? "");
    commandLines = watched.seen();
    expect(redis.commands()).toContain(uploaded.body.id);
    expect(await allLogs()).toContain(uploaded.body.id);
  }

  const ours = { analysisKey: "key-for-the-emulator", uploadUrl: "upload_id=", databaseAddress: service.databaseUrl };
  const all = { ...secrets, ...ours, key: service.apiKey, keySecret: service.apiKey.slice(-40), stranger };
  const metrics = await Promise.all(service.metricsUrls.map(async (at) => (await fetch(`${at}/metrics`)).text()));
  expect(metrics.join("")).toContain('outcome="extraction_failed"');
  expect(await allLogs()).toContain("refusing");
  expect({
    logs: foundIn(await allLogs(), all),
    metrics: foundIn(metrics.join("\n"), all),
    queue: foundIn(redis.commands(), all),
    commandLines: foundIn(commandLines, all),
    others: foundIn(answers.join("\n"), all),
  }).toEqual({ logs: [], metrics: [], queue: [], commandLines: [], others: [] });
  expect(commandLines).toContain("ffprobe");
  await untilNothingIsLeft(service);
});

test("an extraction of the playground runs with the rights of the service's user, and its deleted contents are nowhere: database, queue, storage, logs", async () => {
  const words = { schema: word("SchemaKey"), instructions: word("Instruction"), answer: word("AnswerText") };
  const owner = connect(service.database.url);
  const at = `${service.baseUrl}/dashboard/api`;
  const link = new URL((await signInLink(service, dirname(service.video))) ?? "");
  const { email, code: otp, link: asked } = Object.fromEntries(new URLSearchParams(link.hash.slice(1)));
  const origin = service.baseUrl;
  const entered = await fetch(`${at}/auth/sign-in/email-otp`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ email, otp, link: asked, confirmed: true }),
  });
  const headers = { cookie: String(entered.headers.getSetCookie()[0]?.split(";")[0]), origin };
  const read = async (path: string) => (await fetch(at + path, { headers })).text();
  const remove = async (path: string) => (await fetch(at + path, { method: "DELETE", headers })).status;

  const form = new FormData();
  form.set("schema", JSON.stringify({ [words.schema]: `${words.answer}1|${words.answer}2` }));
  form.set("instructions", words.instructions);
  form.set("video", new Blob([new Uint8Array(clip)]), "clip.mp4");
  const asking = { ...headers, "extract-evidence": "fields" };
  const extracted = await fetch(`${at}/extract`, { method: "POST", headers: asking, body: form });
  const answer = await extracted.text();
  expect([extracted.status, foundIn(answer, words)]).toEqual([200, ["schema", "answer"]]);
  const { id } = JSON.parse(answer) as { id: string };
  const job = JSON.parse(await read(`/jobs/${id}`));
  expect(job).toMatchObject({ key: null, attempts: 1, billed_seconds: 60, wants_evidence: true });
  expect(foundIn(await read(`/jobs/${id}/evidence`), words)).toEqual(["schema"]);
  const stages = (job.timings as { stage: string }[]).map(({ stage }) => stage);
  expect(stages).toEqual(expect.arrayContaining(["queued", "probing", "analysing"]));
  expect(foundIn(await wholeDatabase(owner), words)).toEqual(["schema", "instructions", "answer"]);

  expect(await remove(`/jobs/${id}`)).toBe(204);
  const logged = await allLogs();
  expect(logged).toContain(id);
  expect({
    database: foundIn(await wholeDatabase(owner), words),
    queue: foundIn(redis.commands(), words),
    logs: foundIn(logged, words),
  }).toEqual({ database: [], queue: [], logs: [] });
  await untilNothingIsLeft(service);

  // The ledger's row stays.
  const { entries } = JSON.parse(await read("/ledger"));
  expect(entries[0]).toMatchObject({ job_id: id, seconds: -60 });
  expect(await remove("/account")).toBe(204);
  expect(await wholeDatabase(owner)).not.toContain(email);
});

async function wholeDatabase(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')`;
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql.unsafe(`select t::text as row from ${name} t`)) texts.push(String(row));
  }
  return texts.join("\n");
}

/** Records everything that is sent to the Redis at a URL from now on, with its MONITOR command. */
async function recordRedisCommands(url: string) {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const socket = connectSocket(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("data", (bytes) => {
      chunks.push(bytes);
      resolve();
    });
    socket.write("MONITOR\r\n");
  });
  return { commands: () => Buffer.concat(chunks).toString("latin1"), [Symbol.dispose]: () => void socket.destroy() };
}

const everyMs = 20;
// A process shows its parent's command line until it executes its own program.
const readsOfEach = 6;

/** Records the command lines of the processes of this machine, including short-lived ones. */
function recordCommandLines() {
  const seen = new Set<string>();
  const reads = new Map<string, number>();
  let going = true;
  const watching = (async () => {
    while (going) {
      const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
      const running = new Set(pids);
      for (const pid of reads.keys()) if (!running.has(pid)) reads.delete(pid);
      const young = pids.filter((pid) => (reads.get(pid) ?? 0) < readsOfEach);
      for (const pid of young) reads.set(pid, (reads.get(pid) ?? 0) + 1);
      const lines = await Promise.all(young.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
      for (const line of lines) seen.add(line);
      await sleep(everyMs);
    }
  })();
  return {
    seen: () => [...seen].join("\n"),
    async [Symbol.asyncDispose]() {
      going = false;
      await watching;
    },
  };
}
