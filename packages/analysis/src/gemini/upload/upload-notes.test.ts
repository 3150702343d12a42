import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Act, type FaultServer, sendError, startFaultServer } from "../testing/fault-server.ts";
import { openTestGemini } from "../testing/test-gemini.ts";
import { dropAfter, prepareUploads, type UploadTrial } from "../testing/upload-trial.ts";

let trial: UploadTrial;
let folder: string;
let uploadNotes: string;
beforeAll(async () => {
  trial = await prepareUploads(12_345);
  folder = await mkdtemp(join(tmpdir(), "upload-notes-"));
});
beforeEach(async () => {
  uploadNotes = await mkdtemp(join(folder, "notes-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await trial[Symbol.asyncDispose]();
});

const answered =
  (status: number, message = "No.", details: unknown[] = []): Act =>
  ({ response }) =>
    sendError(response, status, message, "SOME", details);
const silence: Act = ({ request }) => void request.socket.destroy();
/** What is said to a cancellation, and whether the upload may still be open after it. */
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

describe("the note of an upload", () => {
  test("is there while it is open, for its owner alone, and not when it is stored", async () => {
    await using server = await startFaultServer();
    let noted: string[] = [];
    server.next("chunk", async ({ proceed }) => {
      noted = await read();
      await proceed();
    });
    await trial.upload(server, { uploadNotes });
    expect(noted).toEqual([expect.stringMatching(/upload_id=upload-1/)]);
    expect(await read()).toEqual([]);
  });

  test.each(replies)("that breaks down stays as long as it may be open: cancelled, %s", async (_name, reply, stays) => {
    await using server = await startFaultServer();
    server.next("chunk", ...Array.from({ length: 100 }, () => dropAfter(0)));
    server.next("cancel", reply);
    await expect(trial.upload(server, { uploadNotes })).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().filter((call) => call === "cancel")).toHaveLength(1);
    expect(await read()).toHaveLength(stays ? 1 : 0);
  });

  test("that was begun anew stays, though the next one is stored", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(0));
    server.next("query", answered(400));
    server.next("cancel", answered(503));
    await trial.upload(server, { uploadNotes });
    expect(await read()).toEqual([expect.stringMatching(/upload_id=upload-1&/)]);
  });
});

describe("by its note, an upload", () => {
  test.each(replies)("is cancelled until it is over: %s", async (_name, reply, stays) => {
    await using server = await startFaultServer();
    await note(server, "upload-1");
    server.next("cancel", reply);
    await cancelAll(server);
    expect(await read()).toHaveLength(stays ? 1 : 0);
    await cancelAll(server);
    expect(await read()).toEqual([]);
    expect(server.calls()).toHaveLength(stays ? 2 : 1);
  });

  test("is tried though another's cancellation fails", async () => {
    await using server = await startFaultServer();
    for (const id of ["a", "b", "c"]) await note(server, id);
    server.next("cancel", answered(503));
    await cancelAll(server);
    expect(server.calls()).toHaveLength(3);
    expect(await read()).toHaveLength(1);
  });

  test("is not asked for when the service cannot have it any more, nor when the note says nothing", async () => {
    await using server = await startFaultServer();
    const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    await utimes(await note(server, "old"), longAgo, longAgo);
    await writeFile(join(uploadNotes, "empty"), "");
    await cancelAll(server);
    expect(server.calls()).toEqual([]);
    expect(await read()).toEqual([]);
  });

  test("is none where there is no folder", async () => {
    await using server = await startFaultServer();
    await rm(uploadNotes, { recursive: true });
    await cancelAll(server);
    expect(server.calls()).toEqual([]);
  });
});

async function read(): Promise<string[]> {
  return Promise.all((await readdir(uploadNotes)).map((name) => readFile(join(uploadNotes, name), "utf8")));
}

async function note(server: FaultServer, id: string): Promise<string> {
  const path = join(uploadNotes, id);
  await writeFile(path, `${server.url}/upload/v1beta/files?upload_id=${id}`);
  return path;
}

async function cancelAll(server: FaultServer): Promise<void> {
  const { gemini } = openTestGemini(server.url);
  await gemini.cancelUploads(uploadNotes, new AbortController().signal).finally(() => gemini.close());
}
