import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Act, type FaultServer, sendError, startFaultServer } from "./testing/fault-server.ts";
import { dropAfter, openTestGemini, prepareUploads, type UploadHarness } from "./testing/test-gemini.ts";

let harness: UploadHarness;
let directory: string;
let uploadRecords: string;
beforeAll(async () => {
  harness = await prepareUploads(12_345);
  directory = await mkdtemp(join(tmpdir(), "upload-records-"));
});
beforeEach(async () => {
  uploadRecords = await mkdtemp(join(directory, "records-"));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await harness[Symbol.asyncDispose]();
});

const answered =
  (status: number, message = "No.", details: unknown[] = []): Act =>
  ({ response }) =>
    sendError(response, status, message, "SOME", details);
const silence: Act = ({ request }) => void request.socket.destroy();
/** Replies to a cancellation, and whether the upload may still be open afterwards. */
const replies: [string, Act, boolean][] = [
  ["done", ({ proceed }) => proceed(), false],
  ["already terminated", answered(400, "Upload has already been terminated."), false],
  ["not known", answered(404), false],
  ["gone", answered(410), false],
  ["unavailable", answered(503), true],
  ["an error", answered(500), true],
  ["too many requests", answered(429), true],
  ["no access", answered(400, "Refused.", [{ reason: "API_KEY_INVALID" }]), true],
  ["no access, in words", answered(400, "API key not valid. Please pass a valid API key."), true],
  ["forbidden", answered(403), true],
  ["nothing", silence, true],
];

describe("the record of an upload", () => {
  test("exists only while the upload is open, and only its owner can read it", async () => {
    await using server = await startFaultServer();
    let recorded: string[] = [];
    server.next("chunk", async ({ proceed }) => {
      recorded = await read();
      await proceed();
    });
    await harness.upload(server, { uploadRecords });
    expect(recorded).toEqual([expect.stringMatching(/upload_id=upload-1/)]);
    expect(await read()).toEqual([]);
  });

  test.each(replies)("that failed stays if the cancellation leaves it open: %s", async (_name, reply, stays) => {
    await using server = await startFaultServer();
    server.next("chunk", ...Array.from({ length: 100 }, () => dropAfter(0)));
    server.next("cancel", reply);
    await expect(harness.upload(server, { uploadRecords })).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().filter((call) => call === "cancel")).toHaveLength(1);
    expect(await read()).toHaveLength(stays ? 1 : 0);
  });

  test("stays if its session may be open, although a later session succeeded", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(0));
    server.next("query", answered(400));
    server.next("cancel", answered(503));
    await harness.upload(server, { uploadRecords });
    expect(await read()).toEqual([expect.stringMatching(/upload_id=upload-1&/)]);
  });
});

describe("an upload with a record", () => {
  test.each(replies)("is cancelled until it is closed: %s", async (_name, reply, stays) => {
    await using server = await startFaultServer();
    await writeRecord(server, "upload-1");
    server.next("cancel", reply);
    await cancelAll(server);
    expect(await read()).toHaveLength(stays ? 1 : 0);
    await cancelAll(server);
    expect(await read()).toEqual([]);
    expect(server.calls()).toHaveLength(stays ? 2 : 1);
  });

  test("is cancelled although another cancellation fails", async () => {
    await using server = await startFaultServer();
    for (const id of ["a", "b", "c"]) await writeRecord(server, id);
    server.next("cancel", answered(503));
    await cancelAll(server);
    expect(server.calls()).toHaveLength(3);
    expect(await read()).toHaveLength(1);
  });

  test("is not cancelled when its record is older than a week or empty", async () => {
    await using server = await startFaultServer();
    const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    await utimes(await writeRecord(server, "old"), longAgo, longAgo);
    await writeFile(join(uploadRecords, "empty"), "");
    await cancelAll(server);
    expect(server.calls()).toEqual([]);
    expect(await read()).toEqual([]);
  });

  test("does not exist without the directory", async () => {
    await using server = await startFaultServer();
    await rm(uploadRecords, { recursive: true });
    await cancelAll(server);
    expect(server.calls()).toEqual([]);
  });
});

async function read(): Promise<string[]> {
  return Promise.all((await readdir(uploadRecords)).map((name) => readFile(join(uploadRecords, name), "utf8")));
}

async function writeRecord(server: FaultServer, id: string): Promise<string> {
  const path = join(uploadRecords, id);
  await writeFile(path, `${server.url}/upload/v1beta/files?upload_id=${id}`);
  return path;
}

async function cancelAll(server: FaultServer): Promise<void> {
  const { gemini } = openTestGemini(server.url);
  await gemini.cancelUploads(uploadRecords, new AbortController().signal).finally(() => gemini.close());
}
