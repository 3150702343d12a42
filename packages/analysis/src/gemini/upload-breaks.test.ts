import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Act, keep, sendError, startFaultServer } from "./testing/fault-server.ts";
import { dropAfter, offsetsOf, prepareUploads, type UploadHarness } from "./testing/test-gemini.ts";

const MiB = 1024 * 1024;
const size = 16 * MiB + 12_345;
let harness: UploadHarness;
beforeAll(async () => {
  harness = await prepareUploads(size);
});
afterAll(() => harness[Symbol.asyncDispose]());

const proceed: Act = (exchange) => exchange.proceed();

describe("after a broken connection", () => {
  test("an upload continues after the last byte that Gemini has, even within a chunk", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(3 * MiB + 7));
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    expect(offsetsOf(server)).toEqual([0, 3 * MiB + 7, 11 * MiB + 7]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
  });

  test.each([308, 400, 408, 412, 416, 429, 500, 502, 503, 504])(
    "after a chunk answered with %i, the position is queried before anything is sent again",
    async (status) => {
      await using server = await startFaultServer();
      // The bytes arrive; only the reply is an error.
      const arrived: Act = async ({ request, response, session }) => {
        for await (const piece of request as AsyncIterable<Buffer>) if (session) keep(session, piece);
        sendError(response, status, "Try again.");
      };
      server.next("chunk", arrived);
      const { stored } = await harness.upload(server);
      expect(stored).toEqual([harness.sha256]);
      expect(offsetsOf(server)).toEqual([0, 8 * MiB, 16 * MiB]);
      expect(server.calls().slice(0, 4)).toEqual(["start", "chunk", "query", "chunk"]);
    },
  );

  test("an error reply before all bytes were read does not end the upload", async () => {
    await using server = await startFaultServer();
    server.next("chunk", ({ response, request }) => {
      response.shouldKeepAlive = false;
      sendError(response, 503, "The service is currently unavailable.", "UNAVAILABLE");
      response.once("finish", () => request.destroy());
    });
    expect((await harness.upload(server)).stored).toEqual([harness.sha256]);
  });

  test("after a wrong offset the upload continues where Gemini says, also backwards", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, async ({ session, request, response }) => {
      request.resume();
      if (session) {
        session.received = 0;
        session.hash = createHash("sha256");
      }
      sendError(response, 400, "Bad offset.");
    });
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    expect(offsetsOf(server)).toEqual([0, 8 * MiB, 0, 8 * MiB, 16 * MiB]);
  });

  test("a reply outside the protocol does not count as a receipt", async () => {
    await using server = await startFaultServer();
    server.next("chunk", async ({ request, response }) => {
      for await (const _ of request);
      response.end("<html>Welcome</html>");
    });
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    expect(offsetsOf(server)).toEqual([0, 0, 8 * MiB, 16 * MiB]);
  });

  test("a failed query is retried", async () => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(0));
    server.next(
      "query",
      ({ response }) => sendError(response, 503, "Later."),
      ({ request }) => void request.socket.destroy(),
    );
    expect((await harness.upload(server)).stored).toEqual([harness.sha256]);
    expect(server.calls().filter((call) => call === "query")).toHaveLength(3);
  });

  test.each([
    ["terminated", 400, {}],
    ["not found", 404, {}],
    ["gone", 410, {}],
    ["cancelled", 200, { "x-goog-upload-status": "cancelled" }],
    ["beyond the video", 200, { "x-goog-upload-status": "active", "x-goog-upload-size-received": "99999999999" }],
    ["no number", 200, { "x-goog-upload-status": "active", "x-goog-upload-size-received": "-5" }],
  ])("a session reported as %s is replaced by a new one", async (_name, status, headers) => {
    await using server = await startFaultServer();
    server.next("chunk", dropAfter(MiB));
    server.next(
      "query",
      ({ response }) => void response.writeHead(status, headers).end("Upload has already been terminated."),
    );
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(2);
  });

  test.each<[string, number, Record<string, string>, boolean]>([
    ["refuses to say", 400, {}, true],
    ["says nothing", 200, {}, true],
    ["says what cannot be", 200, { "x-goog-upload-status": "active", "x-goog-upload-size-received": "99999999" }, true],
    ["has cancelled", 200, { "x-goog-upload-status": "cancelled" }, false],
    ["has ended", 400, { "x-goog-upload-status": "final" }, false],
    ["does not know", 404, {}, false],
  ])(
    "a session of which Gemini %s (%i) is cancelled before the next one, if it may be open",
    async (_name, status, headers, cancelled) => {
      await using server = await startFaultServer();
      server.next("chunk", dropAfter(MiB));
      server.next("query", ({ response }) => void response.writeHead(status, headers).end());
      expect((await harness.upload(server)).stored).toEqual([harness.sha256]);
      const expected = ["start", "chunk", "query", ...(cancelled ? ["cancel"] : []), "start"];
      expect(server.calls().slice(0, expected.length)).toEqual(expected);
    },
  );

  test.each<[number, string, string]>([
    [413, "", "file_too_large"],
    [400, "The file size exceeds the maximum allowed size of 2147483648 bytes.", "file_too_large"],
    [400, "File too large.", "file_too_large"],
    [400, "The storage quota of the project exceeds its maximum size.", "provider_unavailable"],
    [400, 'Invalid value at file.display_name: "video-to-json/x"', "provider_unavailable"],
    [400, "Request contains an invalid argument.", "provider_unavailable"],
  ])("an upload refused at its start with %i (%s) fails with %s", async (status, message, code) => {
    await using server = await startFaultServer();
    server.next("start", ({ response }) => sendError(response, status, message));
    await expect(harness.upload(server)).rejects.toMatchObject({ code });
    expect(server.calls()).toEqual(["start"]);
  });

  test("an upload whose chunks always fail ends after a limited number of attempts", async () => {
    await using server = await startFaultServer();
    server.next("chunk", ...Array.from({ length: 100 }, () => dropAfter(0)));
    await expect(harness.upload(server)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().length).toBeLessThan(30);
    expect(server.calls()).toContain("cancel");
  });

  test("an upload refused because of its media fails with media_unreadable", async () => {
    await using server = await startFaultServer();
    const refused: Act = async ({ request, response }) => {
      for await (const _ of request);
      response.setHeader("x-goog-upload-status", "final");
      sendError(response, 400, "Unsupported MIME type: video/x-odd");
    };
    server.next("chunk", refused, refused, refused);
    await expect(harness.upload(server)).rejects.toMatchObject({ code: "media_unreadable" });
    expect(server.calls()).not.toContain("query");
  });

  test("an upload ends after three lost sessions", async () => {
    await using server = await startFaultServer();
    const gone: Act = ({ response }) => sendError(response, 404, "Gone.");
    server.next("chunk", ...Array.from({ length: 100 }, () => gone));
    server.next("query", ...Array.from({ length: 100 }, () => gone));
    await expect(harness.upload(server)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(server.calls().filter((call) => call === "start")).toHaveLength(3);
  });
});

describe("when the reply to the last chunk is lost", () => {
  /** Performs the request, then breaks the connection before the reply. */
  const loseReply: Act = async ({ response, proceed }) => {
    response.end = (() => response) as typeof response.end;
    response.writeHead = (() => response) as typeof response.writeHead;
    await proceed();
    response.socket?.destroy();
  };

  test("the copy is found by its display name and not uploaded twice", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
    expect(server.files.size).toBe(0);
  });

  test("the copy is read from the reply to the query, if that describes it", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    server.next("query", ({ response }) => {
      const [stored] = server.files.values();
      response.setHeader("x-goog-upload-status", "final").end(JSON.stringify({ file: stored }));
    });
    expect((await harness.upload(server)).stored).toEqual([harness.sha256]);
    expect(server.calls()).not.toContain("list");
  });

  test("a session that is closed by then leaves no copy", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    server.next("query", ({ response }) => sendError(response, 400, "Upload has already been terminated."));
    await harness.upload(server);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(1);
    expect(server.files.size).toBe(0);
  });

  test("a run that is aborted during the search for the copy still deletes it", async () => {
    await using server = await startFaultServer();
    const stop = new AbortController();
    server.next("chunk", proceed, proceed, loseReply);
    server.next("list", () => stop.abort(new Error("deadline")));
    await expect(harness.upload(server, { signal: stop.signal })).rejects.toThrow("deadline");
    expect(server.files.size).toBe(0);
  });

  test("a copy that appears in the list only later is deleted at the end", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    server.next("list", ({ response }) => void response.end("{}"));
    const { stored } = await harness.upload(server);
    expect(stored).toHaveLength(2);
    expect(server.files.size).toBe(0);
  });

  test("when all bytes have arrived without a copy, only the finalize command is sent", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, dropAfter(12_345));
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256]);
    const last = server.seen.filter(({ call }) => call === "chunk").at(-1);
    expect([last?.headers["x-goog-upload-command"], last?.headers["x-goog-upload-offset"], last?.bytes]).toEqual([
      "finalize",
      String(size),
      0,
    ]);
  });

  test("when the copies cannot be listed, the video is uploaded again", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    const fail: Act = ({ response }) => sendError(response, 500, "Failed to convert server response to JSON");
    server.next("list", fail, fail, fail);
    const { stored } = await harness.upload(server);
    expect(stored).toEqual([harness.sha256, harness.sha256]);
    // The first copy is found and deleted at the end.
    expect(server.files.size).toBe(0);
  });

  test("a copy with a known name is deleted while the others are still being listed", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    const untilDeleted = Promise.withResolvers<void>();
    server.next(
      "list",
      ({ response }) => void response.end("{}"),
      async ({ proceed }) => {
        await untilDeleted.promise;
        await proceed();
      },
    );
    server.next("delete", async ({ proceed }) => {
      await proceed();
      untilDeleted.resolve();
    });
    await harness.upload(server);
    expect(server.calls().slice(-3)).toEqual(["list", "delete", "delete"]);
    expect(server.files.size).toBe(0);
  });

  test("a copy that was found is not searched again", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, loseReply);
    await harness.upload(server);
    expect(server.calls().filter((call) => call === "list")).toHaveLength(1);
    expect(server.files.size).toBe(0);
  });

  test("a stored copy of another size is deleted and not used", async () => {
    await using server = await startFaultServer();
    server.next("chunk", proceed, proceed, async ({ request, response }) => {
      for await (const _ of request);
      const short = { name: "files/short", displayName: `video-to-json/${harness.video.jobId}`, sizeBytes: "12" };
      server.files.set("files/short", short);
      response.setHeader("x-goog-upload-status", "final").end(JSON.stringify({ file: short }));
    });
    await harness.upload(server);
    expect(server.files.size).toBe(0);
    expect(server.calls().filter((call) => call === "start")).toHaveLength(2);
  });
});
