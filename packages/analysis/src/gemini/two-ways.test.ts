import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Question } from "../analysis-provider.ts";
import type { GeminiOptions } from "./create-gemini-provider.ts";
import { openInlineRoom } from "./provider-copy.ts";
import { type Act, type FaultServer, sendError, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());

const question: Question = { model: "small", system: "rules", prompt: "question", responseSchema: null };
const refuse =
  (status: number, message: string): Act =>
  ({ response }) =>
    sendError(response, status, message, "PERMISSION_DENIED");
const times = (count: number, act: Act) => Array.from({ length: count }, () => act);
const noRight = refuse(403, "The caller does not have permission");

async function use(server: FaultServer, maxInlineBytes: number, options: Partial<GeminiOptions> = {}) {
  const opened = openTestGemini(server.url, { maxInlineBytes, ...options });
  const outcome = await opened.gemini
    .withVideo(file.video, jobRun(), async (ask) => [await ask(question), await ask(question)].length)
    .catch((error: unknown) => error)
    .finally(() => opened.gemini.close());
  const ways = server.seen
    .filter(({ call }) => call === "generate")
    .map(({ body }) => Object.keys(JSON.parse(body).contents[0].parts[0])[0]);
  return { ...opened, outcome, ways, uploads: server.calls().filter((call) => call === "start").length };
}

const [small, large] = [1000, 999];

test("a small video goes inside each question: no other request is sent, and nothing is stored", async () => {
  await using server = await startFaultServer();
  const { outcome, ways } = await use(server, small);
  expect([outcome, ways]).toEqual([2, ["inlineData", "inlineData"]]);
  expect(server.calls()).toEqual(["generate", "generate"]);
  const sent = JSON.parse(server.seen[0]?.body ?? "").contents[0].parts[0].inlineData;
  expect(sent).toEqual({ mimeType: "video/mp4", data: file.bytes.toString("base64") });
});

test("a larger video goes through the Files API, once for all questions", async () => {
  await using server = await startFaultServer();
  const { outcome, ways, uploads } = await use(server, large);
  expect([outcome, ways, uploads]).toEqual([2, ["fileData", "fileData"], 1]);
});

describe("a larger video goes inside its questions", () => {
  test("if the key may not upload", async () => {
    await using server = await startFaultServer();
    server.next("start", ...times(9, noRight));
    const { outcome, ways, uploads } = await use(server, large);
    expect([outcome, ways, uploads]).toEqual([2, ["inlineData", "inlineData"], 1]);
  });

  test("if the key may upload, but not ask about files", async () => {
    await using server = await startFaultServer();
    server.next("generate", noRight);
    const { outcome, ways } = await use(server, large);
    expect([outcome, ways]).toEqual([2, ["fileData", "inlineData", "inlineData"]]);
    expect(server.files.size).toBe(0);
  });

  test("if the key may upload, but not see its file", async () => {
    await using server = await startFaultServer();
    server.next(
      "get",
      ...times(9, refuse(403, "You do not have permission to access the File x or it may not exist.")),
    );
    const { outcome, ways } = await use(server, large);
    expect([outcome, ways]).toEqual([2, ["inlineData", "inlineData"]]);
  });

  test("if its second copy is not processed either, each within a minute and twice its length", async () => {
    await using server = await startFaultServer();
    server.next(
      "get",
      ...times(999, ({ response }) => {
        response.end(JSON.stringify({ ...[...server.files.values()].at(-1), state: "PROCESSING" }));
      }),
    );
    const { outcome, ways, uploads, pauses } = await use(server, large);
    expect([outcome, ways, uploads]).toEqual([2, ["inlineData", "inlineData"], 2]);
    const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
    // The time that requests take on a busy machine is a part of each minute.
    expect(waitedMs).toBeGreaterThanOrEqual(2 * 70_000);
    expect(waitedMs).toBeLessThan(2 * 84_000);
    expect(server.files.size).toBe(0);
  });
});

test.each([
  ["a bare 400", 400, "Request contains an invalid argument."],
  ["the limit of a proxy", 413, "Payload Too Large"],
  ["a 403", 403, "Inline data is not allowed."],
])("a small video goes through the Files API if its questions end with %s", async (_name, status, message) => {
  await using server = await startFaultServer();
  server.next("generate", refuse(status, message));
  const { outcome, ways, uploads } = await use(server, small);
  expect([outcome, ways, uploads]).toEqual([2, ["inlineData", "fileData", "fileData"], 1]);
  expect(server.files.size).toBe(0);
});

test("a key that may do neither ends the job, after each way was tried once", async () => {
  await using server = await startFaultServer();
  server.next("start", ...times(9, noRight));
  server.next("generate", ...times(9, noRight));
  const { outcome, ways, uploads } = await use(server, small);
  expect(outcome).toMatchObject({ code: "provider_unavailable" });
  expect([ways, uploads]).toEqual([["inlineData"], 1]);
});

test("the videos inside questions have a limit together, so that a worker's memory has one", () => {
  const room = openInlineRoom(15_000_000);
  expect([1, 2, 3, 4, 5].map(() => room.take(15_000_000, false))).toEqual([true, true, true, true, false]);
  room.give(15_000_000);
  expect([room.take(15_000_001, false), room.take(15_000_001, true), room.take(1, false)]).toEqual([false, true, true]);
  expect(openInlineRoom(0).take(1, true)).toBe(false);
});

test("a job that has ended gives its room to the next one", async () => {
  await using server = await startFaultServer();
  await using large = await makeVideoFile(30_000_000);
  const { gemini } = openTestGemini(server.url, { maxInlineBytes: 30_000_000 });
  for (let job = 0; job < 3; job++) await gemini.withVideo(large.video, jobRun(), (ask) => ask(question));
  expect(server.calls()).toEqual(["generate", "generate", "generate"]);
  await gemini.close();
});

test("the bytes of all files of the project are known, also of those of others", async () => {
  await using server = await startFaultServer();
  const stored = { createTime: "", uri: "u", mimeType: "video/mp4", state: "ACTIVE", sha256: "" };
  for (const [id, displayName] of [
    ["a", "video-to-json/x"],
    ["b", "of somebody else"],
  ] as const) {
    server.files.set(`files/${id}`, { ...stored, name: `files/${id}`, displayName, sizeBytes: "700" });
  }
  const { gemini, observed } = openTestGemini(server.url);
  await gemini.deleteCopies(async () => new Set(), new AbortController().signal);
  await gemini.close();
  expect(observed).toContain("files 1400");
});
