import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Act, keep, sendError, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, offsetsOf, openTestGemini, prepareUploads, type UploadHarness } from "./testing/test-gemini.ts";
import { chunkSize, uploadUrl } from "./upload-session.ts";

const path = "/upload/v1beta/files?upload_id=a&upload_protocol=resumable";

test.each([
  [`https://service.example${path}`, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}`, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}`, "http://gate.example/gemini", `http://gate.example/gemini${path}`],
  [`http://gate.example/gemini${path}`, "http://gate.example/gemini", `http://gate.example/gemini${path}`],
  [`https://user:pass@service.example${path}`, "https://service.example", `https://service.example${path}`],
  [path, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}&key=secret`, "https://service.example", `https://service.example${path}`],
  [
    "https://service.example/upload?key=secret&upload_id=a%2Fb+c",
    "https://service.example",
    "https://service.example/upload?upload_id=a%2Fb+c",
  ],
  ["https://service.example/upload?key=secret", "https://service.example", "https://service.example/upload"],
  ["https://service.example/upload?KEY", "https://service.example", "https://service.example/upload"],
  ["http://[", "https://service.example", null],
  ["", "https://service.example", null],
  [undefined, "https://service.example", null],
])("the upload URL %s keeps the origin of %s", (given, baseUrl, url) => {
  expect(uploadUrl(given, baseUrl)).toBe(url);
});

test.each([
  [undefined, 8_388_608],
  ["8388608", 8_388_608],
  ["262144", 8_388_608],
  ["3000000", 6_000_000],
  ["16777216", 16_777_216],
  ["0", 8_388_608],
  ["-1", 8_388_608],
  ["many", 8_388_608],
])("with the granularity %s a chunk has %i bytes", (granularity, size) => {
  expect(chunkSize(granularity)).toBe(size);
});

const MiB = 1024 * 1024;
const size = 16 * MiB + 12_345;
let harness: UploadHarness;
beforeAll(async () => {
  harness = await prepareUploads(size);
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("on the wire", () => {
  test("an upload consists of start, chunks of 8 MiB and finalize, with the headers of the protocol", async () => {
    await using server = await startFaultServer();
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
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
    expect(start?.body).toBe(`{"file":{"display_name":"video-to-json/${harness.video.jobId}"}}`);
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

  test("a server that reads slowly gets the bytes of the file", async () => {
    await using server = await startFaultServer();
    // Meanwhile the sender fills every buffer on the way and waits.
    const slowly: Act = async ({ proceed }) => {
      for (let turn = 0; turn < 500; turn++) await setImmediate();
      await proceed();
    };
    server.next("chunk", slowly, slowly, slowly);
    expect((await harness.upload(server)).stored).toEqual([harness.sha256]);
  });

  test("the copy is requested until it is ACTIVE, whatever the upload's reply said, and deleted after use", async () => {
    await using server = await startFaultServer();
    const state =
      (state?: string): Act =>
      ({ response }) => {
        const [stored] = server.files.values();
        response.end(JSON.stringify({ ...stored, state }));
      };
    server.next("get", state("PROCESSING"), state(), state(""));
    await harness.upload(server);
    expect(server.calls().slice(-5)).toEqual(["get", "get", "get", "get", "delete"]);
    expect(server.files.size).toBe(0);
  });

  test("the key is in no URL and no log line, even when Gemini's reply contains it", async () => {
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
    const failure = await gemini.withVideo(harness.video, jobRun(), async () => null).catch((error) => error);
    expect(failure).toMatchObject({ code: "provider_unavailable" });
    expect(JSON.stringify(logged)).toContain("has been suspended");
    expect(JSON.stringify(logged) + failure.cause.message).not.toContain("test-key-1");
    expect(server.seen.every(({ url }) => !url.includes("test-key-1"))).toBe(true);
    await gemini.close();
  });

  test("a smaller granularity is obeyed, and another upload host never gets a request", async () => {
    await using server = await startFaultServer({ uploadOrigin: "https://elsewhere.example", granularity: "3000000" });
    server.next("chunk", async ({ request, response, session }) => {
      for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
      response.setHeader("x-goog-upload-status", "active").end();
    });
    server.next("chunk", async ({ request, response, session }) => {
      for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
      response.setHeader("x-goog-upload-status", "active").end();
    });
    await harness.upload(server);
    expect(offsetsOf(server).slice(0, 3)).toEqual([0, 6_000_000, 12_000_000]);
  });

  test("a base URL with a path keeps its path in every request", async () => {
    await using server = await startFaultServer({ uploadOrigin: "https://elsewhere.example" });
    await harness.upload(server, { baseUrl: `${server.url}/gateway/gemini/` });
    expect(server.seen.every(({ url }) => url.startsWith("/gateway/gemini/"))).toBe(true);
    expect(server.files.size).toBe(0);
  });
});

describe("when the run is aborted", () => {
  test("an upload stops at once, cancels its session and rejects with the reason", async () => {
    await using server = await startFaultServer();
    const stop = new AbortController();
    const reason = new Error("the worker shuts down");
    server.next("chunk", async ({ request }) => {
      await once(request.resume(), "data");
      stop.abort(reason);
    });
    await expect(harness.upload(server, { signal: stop.signal })).rejects.toBe(reason);
    expect(server.calls()).toEqual(["start", "chunk", "cancel"]);
  });

  test("a copy that an aborted finalize created is still deleted", async () => {
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
    await expect(harness.upload(server, { signal: stop.signal })).rejects.toThrow("deadline");
    expect(server.files.size).toBe(0);
  });

  test("the copy is deleted when its use fails", async () => {
    await using server = await startFaultServer();
    const { gemini } = openTestGemini(server.url);
    const use = async () => {
      throw new Error("boom");
    };
    await expect(gemini.withVideo(harness.video, jobRun(), use)).rejects.toThrow("boom");
    expect(server.files.size).toBe(0);
    await gemini.close();
  });

  test("a run that was aborted before its start sends nothing", async () => {
    await using server = await startFaultServer();
    await expect(harness.upload(server, { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow(
      "too late",
    );
    expect(server.seen).toEqual([]);
  });
});
