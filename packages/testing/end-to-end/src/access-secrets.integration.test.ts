import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { freePort } from "@video-to-json/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { callTool } from "./call-tool.ts";
import { recordCommandLines, recordRedisCommands } from "./record-leaks.ts";

/** Creates a word that occurs nowhere else. */
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

/** Returns the video with words in a box that players ignore. */
function withWords(clip: Buffer, words: string): Buffer {
  const box = Buffer.from(`0000free${words}`);
  box.writeUInt32BE(box.length);
  return Buffer.concat([clip, box]);
}

/** Returns the names of the secrets that a text contains. */
const foundIn = (text: string, all: Record<string, string>) =>
  Object.entries(all).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

async function logsOf(service: Service): Promise<string> {
  const directory = join(dirname(service.video), "logs");
  const files = await readdir(directory);
  const apps = files.filter((name) => /^(api|worker)-/.test(name));
  expect(apps.length).toBe(2);
  return (await Promise.all(apps.map((name) => readFile(join(directory, name), "utf8")))).join("\n");
}

async function startVideos(bytes: Buffer, port: number): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/missing")) response.writeHead(404).end(secrets.bytes);
    else if (request.url?.startsWith("/moved"))
      response.writeHead(302, { location: `/missing?t=${secrets.url}` }).end();
    else response.end(request.url?.startsWith("/text") ? secrets.bytes : bytes);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

test("no log, metric, command line, queue or response to another account contains keys, upload URLs, video bytes, schemas, instructions or answers", async () => {
  const port = await freePort();
  await using service = await startService({
    ownUser: true,
    env: { FETCH_ALLOW_HOSTS: `127.0.0.1:${port}`, LOG_LEVEL: "trace", MAX_VIDEO_SECONDS: "6" },
  });
  const bytes = withWords(await readFile(service.video), secrets.bytes);
  await startVideos(bytes, port);
  using redis = await recordRedisCommands(service.redis.url);
  const owner = postgres(service.database.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => owner.end());
  const stranger = await service.newKey();
  const answers: string[] = [];
  const key = { "idempotency-key": secrets.idempotencyKey };
  const schema = { [secrets.schema]: `${secrets.answer}1|${secrets.answer}2` };
  const instructions = secrets.instructions;
  const url = (path: string) => `http://user:${secrets.url}@127.0.0.1:${port}/${path}?token=${secrets.url}`;
  const plainUrl = (path: string) => `http://127.0.0.1:${port}/${path}?token=${secrets.url}`;

  let commandLines = "";
  {
    await using watched = recordCommandLines();
    // Successful requests, at every entry point and in every form.
    const uploaded = await service.extract({ schema: JSON.stringify(schema), video: bytes, instructions }, key);
    const fetched = await service.extractUrl({ schema, video_url: plainUrl("clip.mp4"), instructions });
    const tool = { baseUrl: service.baseUrl, key: service.apiKey };
    const called = await callTool(tool, "extract", { schema, video_url: plainUrl("called.mp4"), instructions });
    for (const text of [uploaded.text, fetched.text, called.answer?.text ?? ""]) {
      expect(foundIn(text, secrets)).toEqual(["schema", "answer"]);
    }
    // Failing requests.
    await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
    expect((await service.extract({ schema: JSON.stringify(schema), video: bytes, instructions })).status).toBe(422);
    await service.emulator.setFaults([{ on: "generate", kind: "status", status: 400, times: 1 }]);
    await service.extract({ schema: JSON.stringify(schema), video: bytes, instructions });
    for (const fault of [
      { on: "start", kind: "status", status: 500 },
      { on: "chunk", kind: "drop" },
      { on: "get", kind: "failed" },
      { on: "generate", kind: "malformed-body" },
    ] as const) {
      await service.emulator.setFaults([{ ...fault, times: 1 }]);
      await service.extract({ schema: JSON.stringify(schema), video: bytes, instructions });
    }
    // Errors of the database, whose messages contain values: for the job at admission, and for its answer.
    for (const column of ["instructions", "data"]) {
      await owner.unsafe(`alter table jobs add constraint refusing check (${column} is null) not valid`);
      const refused = await service.extract({ schema: JSON.stringify(schema), video: bytes, instructions });
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
    expect((await service.extractUrl({ schema }, { authorization: `Bearer ${secrets.unknownKey}` })).status).toBe(401);
    await service.extractUrl({ schema, video_url: plainUrl("other.mp4"), instructions }, key);
    await service.read(`/v1/jobs/${uploaded.body.id}?${secrets.query}=${secrets.schema}`);

    // The responses that another account gets to the same requests.
    for (const path of [`/v1/jobs/${uploaded.body.id}`, `/v1/${secrets.query}`, "/v1/me"]) {
      answers.push((await service.read(path, stranger)).text);
    }
    const strange = { authorization: `Bearer ${stranger}` };
    answers.push((await service.extractUrl({ schema: { main_color: "red|blue" } }, { ...strange, ...key })).text);
    const other = await callTool({ ...tool, key: stranger }, "recent_extractions", {});
    answers.push(other.answer?.text ?? "");
    commandLines = watched.seen();
    const commands = redis.commands();
    expect(commands).toContain(uploaded.body.id);
    expect(await logsOf(service)).toContain(uploaded.body.id);
  }

  const ours = { analysisKey: "key-for-the-emulator", uploadUrl: "upload_id=", databaseAddress: service.databaseUrl };
  const all = { ...secrets, ...ours, key: service.apiKey, keySecret: service.apiKey.slice(-40), stranger };
  const metrics = await Promise.all(service.metricsUrls.map(async (at) => (await fetch(`${at}/metrics`)).text()));
  expect(metrics.join("")).toContain('outcome="extraction_failed"');
  expect(await logsOf(service)).toContain("refusing");
  expect({
    logs: foundIn(await logsOf(service), all),
    metrics: foundIn(metrics.join("\n"), all),
    queue: foundIn(redis.commands(), all),
    commandLines: foundIn(commandLines, all),
    others: foundIn(answers.join("\n"), all),
  }).toEqual({ logs: [], metrics: [], queue: [], commandLines: [], others: [] });
  expect(commandLines).toContain("ffprobe");
  await untilNothingIsLeft(service);
});
