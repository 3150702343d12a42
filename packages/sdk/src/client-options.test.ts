import { afterEach, expect, test, vi } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { createClient } from "./client.ts";
import { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
import type { LogEntry } from "./http/logger.ts";
import { admitted, event, jobId, streams } from "./testing/event-handlers.ts";
import { answers, answerText, cuts, type Handler, refuses, startFaultServer } from "./testing/start-fault-server.ts";
import { apiKey, errorOf, schema, video } from "./testing/start-server-and-client.ts";

afterEach(() => vi.unstubAllEnvs());

const accountText = '{"email":"a@example.com","minutes_remaining":1,"seconds_remaining":60}';
const silent: Handler = () => {};

test("key and address come from the environment, and the options take precedence", async () => {
  await using server = await startFaultServer(answers(accountText));
  expect(() => createClient()).toThrow("apiKey is missing. Pass it, or set VIDEO_TO_JSON_API_KEY.");
  expect(() => createClient({ apiKey })).toThrow("baseUrl is missing. Pass it, or set VIDEO_TO_JSON_URL.");
  vi.stubEnv("VIDEO_TO_JSON_API_KEY", "v2j_live_env\n");
  vi.stubEnv("VIDEO_TO_JSON_URL", `${server.url}/`);
  await createClient().account();
  await createClient({ apiKey }).account();
  const keys = server.requests.map(({ headers }) => headers.authorization);
  expect(keys).toEqual(["Bearer v2j_live_env", `Bearer ${apiKey}`]);
  vi.stubEnv("VIDEO_TO_JSON_URL", " ");
  expect(() => createClient()).toThrow(TypeError);
});

test("a read that gets no answer within the timeout is tried again, and says so in the end", async () => {
  await using server = await startFaultServer(silent, answers(accountText), silent);
  const client = createClient({ apiKey, baseUrl: server.url, timeout: 500 });
  expect(await client.account()).toMatchObject({ seconds_remaining: 60 });
  const error = await errorOf(client.account({ retries: 0 }));
  expect(error).toBeInstanceOf(VideoToJsonConnectionError);
  expect(error).toMatchObject({ retryable: true, message: expect.stringContaining("within 0.5 s") });
  expect(server.requests).toHaveLength(3);
});

test("each call has its own timeout and retries", async () => {
  await using server = await startFaultServer(silent);
  const client = createClient({ apiKey, baseUrl: server.url });
  const call = { timeout: 20, retries: 1 };
  const calls = [() => client.job("x", call), () => client.jobs(call), () => client.recentJobs(call)];
  for (const read of calls) expect(await errorOf(read())).toMatchObject({ message: expect.stringContaining("0.02 s") });
  expect(server.requests).toHaveLength(6);
  for (const wrong of [{ timeout: 0 }, { timeout: Number.NaN }, { retries: -1 }]) {
    expect(await errorOf(client.account(wrong))).toBeInstanceOf(TypeError);
    expect(() => createClient({ apiKey, baseUrl: server.url, ...wrong })).toThrow(TypeError);
  }
});

test("the timeout of an extraction ends the whole call and names its job", async () => {
  const holds: Handler = (request, response) => {
    request.on("end", () => void response.writeHead(200, { "content-type": "text/event-stream" }).write(admitted()));
  };
  await using server = await startFaultServer(holds);
  const client = createClient({ apiKey, baseUrl: server.url, timeout: 1 });
  const error = await errorOf(client.extract({ video, schema, timeout: 4000 }));
  expect(error).toMatchObject({ name: "VideoToJsonConnectionError", jobId, idempotencyKey: expect.any(String) });
  expect(String(error)).toContain(`job("${jobId}") reads its answer`);
  await using broken = await startFaultServer(cuts("at once"));
  const once = createClient({ apiKey, baseUrl: broken.url }).extract({ video, schema, retries: 0 });
  expect(await errorOf(once)).toBeInstanceOf(VideoToJsonConnectionError);
  expect(broken.requests).toHaveLength(1);
});

test("every result has the request's id, the job's id and the rate limit, which JSON leaves out", async () => {
  const head = {
    "x-request-id": "r-1",
    "job-id": jobId,
    "ratelimit-policy": '"read";q=20;w=60',
    ratelimit: '"read";r=19;t=7',
  };
  await using server = await startFaultServer(answers(answerText, 200, head), answers(accountText));
  const client = createClient({ apiKey, baseUrl: server.url });
  const answer = await client.extract({ video, schema });
  const rateLimit = { policy: "read", limit: 20, windowSeconds: 60, remaining: 19, resetSeconds: 7 };
  expect(answer.response).toEqual({ requestId: "r-1", jobId, rateLimit });
  expect(Object.keys(answer)).not.toContain("response");
  const { response } = await client.account();
  expect(response).toEqual({ requestId: undefined, jobId: undefined, rateLimit: undefined });
});

test("requests name the package's version and the runtime", async () => {
  await using server = await startFaultServer(answers(accountText));
  await createClient({ apiKey, baseUrl: server.url }).account();
  const agent = `video-to-json/${manifest.version} node/${process.versions.node}`;
  expect(server.requests[0]?.headers["user-agent"]).toBe(agent);
  const text = `// Written by \`pnpm sdk:generate\`.\n\n/** The version of this package. */\nexport const version = "${manifest.version}";\n`;
  await expect(text).toMatchFileSnapshot("./generated/version.gen.ts");
});

test("the logger receives responses, retries and read-backs without the key, and cannot end a call", async () => {
  const record = `{"id":"${jobId}","status":"succeeded","data":{},"video":{"duration_seconds":5},"billed_seconds":60}`;
  await using server = await startFaultServer(
    refuses(503, "provider_unavailable", { "x-request-id": "r-1" }),
    streams(admitted(), "breaks"),
    answers(record),
  );
  const entries: LogEntry[] = [];
  const logger = (entry: LogEntry) => {
    entries.push(entry);
    throw new Error("The log is full.");
  };
  await createClient({ apiKey, baseUrl: server.url, logger }).extract({ video, schema });
  expect(entries).toMatchObject([
    {
      level: "debug",
      method: "POST",
      path: "/v1/extract",
      status: 503,
      requestId: "r-1",
      durationMs: expect.any(Number),
    },
    { level: "warn", message: "The request is sent again.", delayMs: expect.any(Number) },
    { level: "warn", message: "No complete response arrived.", status: 200 },
    { level: "warn", message: "The connection broke. The client reads the answer with the id of its job.", jobId },
    { level: "debug", method: "GET", path: `/v1/jobs/${jobId}`, status: 200 },
  ]);
  expect(JSON.stringify(entries)).not.toContain(apiKey);
});

test("a doubtful schema is refused unless its warnings are accepted, and then they are returned and logged", async () => {
  const warning = { path: "/a", message: "One string.", hint: 'write ["string"]' };
  const events = admitted() + event("warning", warning) + event("result", answerText);
  await using server = await startFaultServer(streams(events), answers(answerText));
  const lines: string[] = [];
  const logger = ({ level, message }: LogEntry) => void lines.push(`${level} ${message}`);
  const client = createClient({ apiKey, baseUrl: server.url, logger });
  const { warnings } = await client.extract({ video, schema, acceptWarnings: true });
  expect(warnings).toEqual([warning]);
  expect(lines).toContain('warn /a: One string. If not: write ["string"]');
  expect((await client.extract({ video, schema })).warnings).toEqual([]);
  expect(server.requests.map(({ headers }) => headers.prefer)).toEqual([undefined, "handling=strict"]);
});

test.each(["clips", "video_url", "accept_warnings", "toString"])(
  "the option `%s`, which does not exist, is refused before anything is sent",
  async (name) => {
    await using server = await startFaultServer(answers(answerText));
    const client = createClient({ apiKey, baseUrl: server.url });
    const request = { video, schema, [name]: { start: "00:00", end: "00:30" } };
    const error = await errorOf(client.extract(request));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(`${name} is not an option of extract. The options are video, videoUrl, `);
    expect(server.requests).toEqual([]);
  },
);
