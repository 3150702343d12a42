import { expect, test } from "vitest";
import { type Act, type FaultServer, sendError, startFaultServer } from "./testing/fault-server.ts";
import { openTestGemini } from "./testing/test-gemini.ts";

const id = (digit: number) => `0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a1${digit}`;

function store(server: FaultServer, name: string, displayName?: string) {
  server.files.set(`files/${name}`, { name: `files/${name}`, ...(displayName ? { displayName } : {}) });
}

async function sweep(server: FaultServer, finished: string[], signal = new AbortController().signal) {
  const { gemini } = openTestGemini(server.url);
  const asked: string[][] = [];
  const findFinished = async (jobIds: string[]) => {
    asked.push(jobIds);
    return new Set(finished);
  };
  const deleted = await gemini
    .deleteCopies(findFinished, signal)
    .catch((error) => error)
    .finally(() => gemini.close());
  return { asked, deleted };
}

test("the copies of finished jobs are deleted, on every page of the list, and no others", async () => {
  await using server = await startFaultServer();
  for (const digit of [1, 2, 3, 4, 5]) store(server, `copy${digit}`, `video-to-json/${id(digit)}`);
  store(server, "second", `video-to-json/${id(5)}`);
  store(server, "foreign", "holiday.mp4");
  store(server, "nameless");
  store(server, "odd", "video-to-json/not-a-job");
  const { asked, deleted } = await sweep(server, [id(1), id(5), id(9)]);
  expect(asked).toEqual([[id(1), id(2), id(3), id(4), id(5)]]);
  expect(deleted).toBe(3);
  expect([...server.files.keys()]).toEqual([
    "files/copy2",
    "files/copy3",
    "files/copy4",
    "files/foreign",
    "files/nameless",
    "files/odd",
  ]);
});

test("the database is not asked when there are no copies of ours", async () => {
  await using server = await startFaultServer();
  expect(await sweep(server, [id(1)])).toEqual({ asked: [], deleted: 0 });
});

test("a copy that cannot be deleted does not stop the deletion of the others", async () => {
  await using server = await startFaultServer();
  for (const digit of [1, 2]) store(server, `copy${digit}`, `video-to-json/${id(digit)}`);
  server.next("delete", ({ response }) => sendError(response, 403, "It may not exist.", "PERMISSION_DENIED"));
  expect((await sweep(server, [id(1), id(2)])).deleted).toBe(1);
});

test("a list that fails throws provider_unavailable", async () => {
  await using server = await startFaultServer();
  server.next("list", ({ response }) => sendError(response, 400, "API key not valid."));
  expect((await sweep(server, [])).deleted).toMatchObject({ code: "provider_unavailable" });
});

test("a sweep ends with its signal", async () => {
  await using server = await startFaultServer();
  const stop = new AbortController();
  server.next("list", () => stop.abort(new Error("shutting down")));
  expect((await sweep(server, [], stop.signal)).deleted).toMatchObject({ message: "shutting down" });
});

test("a copy whose deletion always fails does not use up the time of the others", async () => {
  await using server = await startFaultServer();
  for (const digit of [1, 2, 3]) store(server, `copy${digit}`, `video-to-json/${id(digit)}`);
  const broken: Act = ({ response }) => sendError(response, 500, "Internal.", "INTERNAL");
  server.next("delete", broken, broken, broken, broken);
  expect((await sweep(server, [id(1), id(2), id(3)])).deleted).toBe(2);
  expect([...server.files.keys()]).toEqual(["files/copy1"]);
});

test("after a 429 the remaining copies stay for the next call", async () => {
  await using server = await startFaultServer();
  for (const digit of [1, 2, 3]) store(server, `copy${digit}`, `video-to-json/${id(digit)}`);
  server.next(
    "delete",
    ({ proceed }) => proceed(),
    ({ response }) => sendError(response, 429, "Please retry in 40s.", "RESOURCE_EXHAUSTED"),
  );
  expect((await sweep(server, [id(1), id(2), id(3)])).deleted).toBe(1);
  expect(server.calls().filter((call) => call === "delete")).toHaveLength(2);
});
