import { createHash } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Act, keep, sendError, startFaultServer } from "./fault-server.ts";
import { makeVideoFile, minuteRun, openTestGemini } from "./open-test-gemini.ts";

const MiB = 1024 * 1024;
const size = 20 * MiB + 12_345;
let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(size);
});
afterAll(() => file[Symbol.asyncDispose]());

type Server = Awaited<ReturnType<typeof startFaultServer>>;

/** Uploads, and gives the SHA-256 of every copy the service held meanwhile. */
async function upload(server: Server, options: { signal?: AbortSignal; baseUrl?: string } = {}) {
  const opened = openTestGemini(options.baseUrl ?? server.url);
  const held = await opened.gemini
    .withVideo(file.video, minuteRun(options.signal), async () =>
      [...server.files.values()].map(({ sha256 }) => sha256),
    )
    .finally(() => opened.gemini.close());
  return { held, ...opened };
}

const wholeHash = () => createHash("sha256").update(file.bytes).digest("hex");
const offsets = (server: Server) =>
  server.seen.filter(({ call }) => call === "chunk").map(({ headers }) => Number(headers["x-goog-upload-offset"]));

/** Takes some bytes of a chunk, keeps a part of them, then cuts the line. */
const dropAfter =
  (kept: number): Act =>
  async ({ request, session }) => {
    let left = kept;
    for await (const piece of request as AsyncIterable<Buffer>) {
      if (session && left > 0) keep(session, piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
    request.socket.destroy();
  };

describe("on the wire", () => {
  test("an upload is start, 8 MiB chunks, finalize, with the headers of the protocol", async () => {
    await using server = await startFaultServer();
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
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
    expect(start?.body).toBe(`{"file":{"display_name":"video-to-json/${file.video.jobId}"}}`);
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
      ["upload, finalize", String(16 * MiB), String(4 * MiB + 12_345), undefined, 4 * MiB + 12_345],
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
    await upload(server);
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
    const failure = await gemini.withVideo(file.video, minuteRun(), async () => null).catch((error) => error);
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
    await upload(server);
    expect(offsets(server).slice(0, 3)).toEqual([0, 6_000_000, 12_000_000]);
  });

  test("a base address with a path is kept to", async () => {
    await using server = await startFaultServer({ uploadOrigin: "https://elsewhere.example" });
    await upload(server, { baseUrl: `${server.url}/gateway/gemini/` });
    expect(server.seen.every(({ url }) => url.startsWith("/gateway/gemini/"))).toBe(true);
    expect(server.files.size).toBe(0);
  });
});

describe("after a break", () => {
  test("an upload goes on from the byte the service has, when the line was cut within a chunk", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(3 * MiB + 7));
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    expect(offsets(server)).toEqual([0, 3 * MiB + 7, 11 * MiB + 7, 19 * MiB + 7]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
  });

  test.each([308, 400, 408, 412, 416, 429, 500, 502, 503, 504])(
    "a chunk answered %i is asked about, not sent again blindly",
    async (status) => {
      await using server = await startFaultServer();
      // The bytes arrived, only the reply is wrong.
      const arrived: Act = async ({ request, response, session }) => {
        for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
        sendError(response, status, "Try again.");
      };
      server.next("chunk", arrived);
      const { held } = await upload(server);
      expect(held).toEqual([wholeHash()]);
      expect(offsets(server)).toEqual([0, 8 * MiB, 16 * MiB]);
      expect(server.calls().slice(0, 4)).toEqual(["start", "chunk", "query", "chunk"]);
    },
  );

  test("an error answered before the bytes were read does not lose the upload", async () => {
    await using server = await startFaultServer();
    server.next("chunk", ({ response, request }) => {
      response.shouldKeepAlive = false;
      sendError(response, 503, "The service is currently unavailable.", "UNAVAILABLE");
      response.once("finish", () => request.destroy());
    });
    expect((await upload(server)).held).toEqual([wholeHash()]);
  });

  test("a wrong offset is realigned by what the service says it has, backwards too", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ session, request, response }) => {
        request.resume();
        if (session) {
          session.received = 0;
          session.hash = createHash("sha256");
        }
        sendError(response, 400, "Bad offset.");
      },
    );
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    expect(offsets(server)).toEqual([0, 8 * MiB, 0, 8 * MiB, 16 * MiB]);
  });

  test("a reply without a status, or that is not the protocol's, is asked about", async () => {
    await using server = await startFaultServer();
    server.next("chunk", async ({ request, response, session }) => {
      for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
      response.end("<html>Welcome</html>");
    });
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    expect(offsets(server)).toEqual([0, 8 * MiB, 16 * MiB]);
  });

  test("a query that fails is asked again", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(0));
    server.next(
      "query",
      ({ response }) => sendError(response, 503, "Later."),
      ({ request }) => void request.socket.destroy(),
    );
    expect((await upload(server)).held).toEqual([wholeHash()]);
    expect(server.calls().filter((call) => call === "query")).toHaveLength(3);
  });

  test.each([
    ["terminated", 400, {}],
    ["not found", 404, {}],
    ["gone", 410, {}],
    ["cancelled", 200, { "x-goog-upload-status": "cancelled" }],
    ["beyond the video", 200, { "x-goog-upload-status": "active", "x-goog-upload-size-received": "99999999999" }],
    ["no number", 200, { "x-goog-upload-status": "active", "x-goog-upload-size-received": "-5" }],
  ])("a session that the service calls %s is begun anew", async (_name, status, headers) => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(MiB));
    server.next(
      "query",
      ({ response }) => void response.writeHead(status, headers).end("Upload has already been terminated."),
    );
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(2);
  });

  test("a service that never takes a chunk is given up on, in a bounded number of tries", async () => {
    await using server = await startFaultServer();
    server.next("chunk", ...Array.from({ length: 100 }, () => dropAfter(0)));
    await expect(upload(server)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().length).toBeLessThan(30);
    expect(server.calls()).toContain("cancel");
  });

  test("sessions that always die are given up on", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      ...Array.from(
        { length: 100 },
        (): Act =>
          ({ response }) =>
            sendError(response, 404, "Gone."),
      ),
    );
    await expect(upload(server)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().filter((call) => call === "start")).toHaveLength(3);
  });
});

describe("when the last reply is lost", () => {
  /** Does what the request asks, but the reply never arrives whole. */
  const loseReply: Act = async ({ response, proceed }) => {
    response.end = (() => response) as typeof response.end;
    response.writeHead = (() => response) as typeof response.writeHead;
    await proceed();
    response.socket?.destroy();
  };

  test("the copy is found by its display name, not uploaded twice", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      loseReply,
    );
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
    expect(server.files.size).toBe(0);
  });

  test("the copy is taken from the query's own reply when that carries it", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      loseReply,
    );
    server.next("query", ({ response }) => {
      const [stored] = server.files.values();
      response.setHeader("x-goog-upload-status", "final").end(JSON.stringify({ file: stored }));
    });
    expect((await upload(server)).held).toEqual([wholeHash()]);
    expect(server.calls()).not.toContain("list");
  });

  test("a session that is gone by then does not leave its copy behind", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      loseReply,
    );
    server.next("query", ({ response }) => sendError(response, 400, "Upload has already been terminated."));
    await upload(server);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
    expect(server.files.size).toBe(0);
  });

  test("a copy that shows up in the list only later is deleted at the end", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      loseReply,
    );
    server.next("list", ({ response }) => void response.end("{}"));
    const { held } = await upload(server);
    expect(held).toHaveLength(2);
    expect(server.files.size).toBe(0);
  });

  test("when all bytes are there but no copy was made, only the finalize is sent", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      dropAfter(4 * MiB + 12_345),
    );
    const { held } = await upload(server);
    expect(held).toEqual([wholeHash()]);
    const last = server.seen.filter(({ call }) => call === "chunk").at(-1);
    expect([last?.headers["x-goog-upload-command"], last?.headers["x-goog-upload-offset"], last?.bytes]).toEqual([
      "finalize",
      String(size),
      0,
    ]);
  });

  test("a stored copy of another size is not used, and deleted", async () => {
    await using server = await startFaultServer();
    server.next(
      "chunk",
      async ({ proceed }) => proceed(),
      async ({ proceed }) => proceed(),
      async ({ request, response }) => {
        for await (const _ of request);
        const short = { name: "files/short", displayName: `video-to-json/${file.video.jobId}`, sizeBytes: "12" };
        server.files.set("files/short", short);
        response.setHeader("x-goog-upload-status", "final").end(JSON.stringify({ file: short }));
      },
    );
    await upload(server);
    expect(server.files.size).toBe(0);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(2);
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
    await expect(upload(server, { signal: stop.signal })).rejects.toBe(reason);
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
    await expect(upload(server, { signal: stop.signal })).rejects.toThrow("deadline");
    expect(server.files.size).toBe(0);
  });

  test("a copy in use is deleted when the use fails", async () => {
    await using server = await startFaultServer();
    const { gemini } = openTestGemini(server.url);
    const use = async () => {
      throw new Error("boom");
    };
    await expect(gemini.withVideo(file.video, minuteRun(), use)).rejects.toThrow("boom");
    expect(server.files.size).toBe(0);
    await gemini.close();
  });

  test("a run that was aborted before it began sends nothing", async () => {
    await using server = await startFaultServer();
    await expect(upload(server, { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    expect(server.seen).toEqual([]);
  });
});
