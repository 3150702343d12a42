import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Act, keep, sendError, startFaultServer } from "../testing/fault-server.ts";
import { jobRun, openTestGemini } from "../testing/test-gemini.ts";
import { offsetsOf, prepareUploads, type UploadTrial } from "../testing/upload-trial.ts";

const MiB = 1024 * 1024;
const size = 16 * MiB + 12_345;
let trial: UploadTrial;
beforeAll(async () => {
  trial = await prepareUploads(size);
});
afterAll(() => trial[Symbol.asyncDispose]());

describe("on the wire", () => {
  test("an upload is start, 8 MiB chunks, finalize, with the headers of the protocol", async () => {
    await using server = await startFaultServer();
    const { held } = await trial.upload(server);
    expect(held).toEqual([trial.sha256]);
    const [start, ...chunks] = server.seen.filter(({ call }) => call === "start" || call === "chunk");
    expect(start?.url).toBe("/upload/v1beta/files");
    expect(start?.headers).toMatchObject({
      "x-goog-upload-protocol": "resumable",
      "x-goog-upload-command": "start",
      "x-goog-upload-header-content-length": String(size),
      "x-goog-upload-header-content-type": "video/mp4",
      "content-type": "application/json",
      "x-goog-api-key": "test-key-1",
    });
    expect(start?.body).toBe(`{"file":{"display_name":"video-to-json/${trial.video.jobId}"}}`);
    expect(
      chunks.map(({ headers, bytes }) => [
        headers["x-goog-upload-command"],
        headers["x-goog-upload-offset"],
        headers["content-length"],
        headers["transfer-encoding"],
        bytes,
      ]),
    ).toEqual([
      ["upload", "0", String(8 * MiB), undefined, 8 * MiB],
      ["upload", String(8 * MiB), String(8 * MiB), undefined, 8 * MiB],
      ["upload, finalize", String(16 * MiB), "12345", undefined, 12_345],
    ]);
  });

  test("the copy is looked at until it is ACTIVE, whatever the upload's reply said, and deleted after use", async () => {
    await using server = await startFaultServer();
    const state =
      (state?: string): Act =>
      ({ response }) => {
        const [stored] = server.files.values();
        response.end(JSON.stringify({ ...stored, state }));
      };
    server.next("get", state("PROCESSING"), state(), state(""));
    await trial.upload(server);
    expect(server.calls().slice(-5)).toEqual(["get", "get", "get", "get", "delete"]);
    expect(server.files.size).toBe(0);
  });

  test("the key is in no URL and in no log line, not even when the service spells it out", async () => {
    await using server = await startFaultServer();
    server.next("start", ({ response }) =>
      sendError(
        response,
        403,
        "Permission denied: Consumer 'api_key:test-key-1' has been suspended.",
        "PERMISSION_DENIED",
      ),
    );
    const { gemini, logged } = openTestGemini(server.url);
    const failure = await gemini.withVideo(trial.video, jobRun(), async () => null).catch((error) => error);
    expect(failure).toMatchObject({ code: "provider_unavailable" });
    expect(JSON.stringify(logged)).toContain("has been suspended");
    expect(JSON.stringify(logged) + failure.cause.message).not.toContain("test-key-1");
    expect(server.seen.every(({ url }) => !url.includes("test-key-1"))).toBe(true);
    await gemini.close();
  });

  test("a smaller granularity is kept to, and a foreign upload host is never spoken to", async () => {
    await using server = await startFaultServer({ uploadOrigin: "https://elsewhere.example", granularity: "3000000" });
    server.next("chunk", async ({ request, response, session }) => {
      for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
      response.setHeader("x-goog-upload-status", "active").end();
    });
    server.next("chunk", async ({ request, response, session }) => {
      for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
      response.setHeader("x-goog-upload-status", "active").end();
    });
    await trial.upload(server);
    expect(offsetsOf(server).slice(0, 3)).toEqual([0, 6_000_000, 12_000_000]);
  });

  test("a base address with a path is kept to", async () => {
    await using server = await startFaultServer({ uploadOrigin: "https://elsewhere.example" });
    await trial.upload(server, { baseUrl: `${server.url}/gateway/gemini/` });
    expect(server.seen.every(({ url }) => url.startsWith("/gateway/gemini/"))).toBe(true);
    expect(server.files.size).toBe(0);
  });
});

describe("when the run is aborted", () => {
  test("an upload stops at once, cancels its session and passes the reason on", async () => {
    await using server = await startFaultServer();
    const stop = new AbortController();
    const reason = new Error("the worker shuts down");
    server.next("chunk", async ({ request }) => {
      await once(request.resume(), "data");
      stop.abort(reason);
    });
    await expect(trial.upload(server, { signal: stop.signal })).rejects.toBe(reason);
    expect(server.calls()).toEqual(["start", "chunk", "cancel"]);
  });

  test("a copy that the aborted finalize made is still deleted", async () => {
    await using server = await startFaultServer();
    const stop = new AbortController();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      async ({ proceed, response }) => {
        response.end = (() => response) as typeof response.end;
        await proceed();
        stop.abort(new Error("deadline"));
      },
    );
    await expect(trial.upload(server, { signal: stop.signal })).rejects.toThrow("deadline");
    expect(server.files.size).toBe(0);
  });

  test("a copy in use is deleted when the use fails", async () => {
    await using server = await startFaultServer();
    const { gemini } = openTestGemini(server.url);
    const use = async () => {
      throw new Error("boom");
    };
    await expect(gemini.withVideo(trial.video, jobRun(), use)).rejects.toThrow("boom");
    expect(server.files.size).toBe(0);
    await gemini.close();
  });

  test("a run that was aborted before it began sends nothing", async () => {
    await using server = await startFaultServer();
    await expect(trial.upload(server, { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow(
      "too late",
    );
    expect(server.seen).toEqual([]);
  });
});
