import { afterAll, beforeAll, expect, test } from "vitest";
import { type Act, type FaultServer, sendError, startFaultServer } from "./testing/fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini } from "./testing/test-gemini.ts";

let file: Awaited<ReturnType<typeof makeVideoFile>>;
beforeAll(async () => {
  file = await makeVideoFile(1000);
});
afterAll(() => file[Symbol.asyncDispose]());

async function use(server: FaultServer, video = file.video) {
  const opened = openTestGemini(server.url);
  const outcome = await opened.gemini
    .withVideo(video, jobRun(), async () => "used")
    .catch((error) => error)
    .finally(() => opened.gemini.close());
  return { ...opened, outcome };
}

const uploads = (server: FaultServer) => server.calls().filter((call) => call === "start").length;
const failing = async (times: number, error?: unknown) => {
  const server = await startFaultServer();
  const fail: Act = ({ response }) => {
    const stored = [...server.files.values()].at(-1);
    response.end(JSON.stringify({ ...stored, state: "FAILED", ...(error ? { error } : {}) }));
  };
  server.next("get", ...Array.from({ length: times }, () => fail));
  return server;
};

test("a copy that fails because of the media ends the job with media_unreadable at once", async () => {
  await using server = await failing(1, { code: 3, message: "The video could not be decoded." });
  expect((await use(server)).outcome).toMatchObject({ code: "media_unreadable" });
  expect(uploads(server)).toBe(1);
  expect(server.files.size).toBe(0);
});

test("a copy that fails because of the provider is uploaded once more", async () => {
  await using server = await failing(1, { code: 13, message: "An internal error has occurred." });
  expect((await use(server)).outcome).toBe("used");
  expect(uploads(server)).toBe(2);
  expect(server.files.size).toBe(0);
});

test("a provider that fails twice is unavailable", async () => {
  await using server = await failing(2, { code: 13, message: "An internal error has occurred." });
  expect((await use(server)).outcome).toMatchObject({ code: "provider_unavailable" });
  expect(uploads(server)).toBe(2);
  expect(server.files.size).toBe(0);
});

test("a video that fails twice without a cause is unreadable", async () => {
  await using server = await failing(2);
  expect((await use(server)).outcome).toMatchObject({ code: "media_unreadable" });
  expect(server.files.size).toBe(0);
});

test.each([403, 404])("a copy that has vanished (%i) is uploaded again, a limited number of times", async (status) => {
  await using server = await startFaultServer();
  const vanish: Act = ({ response }) => {
    server.files.clear();
    sendError(response, status, "You do not have permission to access the File x or it may not exist.");
  };
  server.next("get", vanish);
  expect((await use(server)).outcome).toBe("used");
  expect(uploads(server)).toBe(2);
  server.next("get", ...Array.from({ length: 20 }, () => vanish));
  expect((await use(server)).outcome).toMatchObject({ code: "provider_unavailable" });
  expect(uploads(server)).toBe(5);
});

test("the pauses between two requests for the copy grow", async () => {
  await using server = await startFaultServer();
  const processing: Act = ({ response }) => {
    response.end(JSON.stringify({ ...[...server.files.values()][0], state: "PROCESSING" }));
  };
  server.next("get", ...Array.from({ length: 10 }, () => processing));
  const { pauses } = await use(server);
  expect(pauses.slice(0, 2)).toEqual([250, 375]);
  expect(pauses.at(-1)).toBe(2000);
});

test("a request for the copy that fails temporarily is retried", async () => {
  await using server = await startFaultServer();
  server.next(
    "get",
    ({ response }) => sendError(response, 500, "Failed to convert server response to JSON", "INTERNAL"),
    ({ response }) => void response.end('{"state":"ACTIVE"}'),
    ({ request }) => void request.socket.destroy(),
  );
  expect((await use(server)).outcome).toBe("used");
});

test("a deletion that fails temporarily is retried; one that always fails does not fail the job", async () => {
  await using server = await startFaultServer();
  const later: Act = ({ response }) => sendError(response, 503, "Later.");
  server.next("delete", later, ({ request }) => void request.socket.destroy());
  expect((await use(server)).outcome).toBe("used");
  expect(server.files.size).toBe(0);
  server.next("delete", ...Array.from({ length: 20 }, () => later));
  const { outcome, logged } = await use(server);
  expect(outcome).toBe("used");
  expect(logged).toContainEqual(expect.objectContaining({ msg: "provider copy not deleted; left for the sweep" }));
});

test("a 403 of a proxy says nothing about the copy, which is neither uploaded again nor treated as deleted", async () => {
  await using server = await startFaultServer();
  const forbid: Act = ({ response }) => void response.writeHead(403).end("<html>The file is forbidden</html>");
  server.next("get", forbid);
  expect((await use(server)).outcome).toMatchObject({ code: "provider_unavailable" });
  expect(uploads(server)).toBe(1);
  server.next("delete", forbid);
  const { outcome, logged } = await use(server);
  expect(outcome).toBe("used");
  expect(logged).toContainEqual(expect.objectContaining({ msg: "provider copy not deleted; left for the sweep" }));
});

test("a missing local file is an internal error, and the provider is not asked", async () => {
  await using server = await startFaultServer();
  const { outcome } = await use(server, { ...file.video, path: `${file.video.path}.gone` });
  expect(outcome).toMatchObject({ code: "ENOENT" });
  expect(server.seen).toEqual([]);
});

test("a file name that would change the path of a URL is not used", async () => {
  await using server = await startFaultServer();
  const evil: Act = async ({ request, response }) => {
    for await (const _ of request);
    response.setHeader("x-goog-upload-status", "final");
    response.end('{"file":{"name":"files/../models/x","sizeBytes":"1000","state":"ACTIVE"}}');
  };
  server.next("chunk", ...Array.from({ length: 5 }, () => evil));
  expect((await use(server)).outcome).toMatchObject({ code: "provider_unavailable" });
  expect(server.seen.some(({ url }) => url.includes("models"))).toBe(false);
});
