import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { openTestEmulator } from "../emulator.harness.ts";

const bytes = (length: number) => new Uint8Array(length).fill(7);
const chunk = 8 * 1024 * 1024;

test("a quota error carries the delay and the quota that was used up", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "list", kind: "status", status: 429, retryDelay: "2s", perDay: true }]);
  const reply = await emulator.call("/v1beta/files");
  const { error } = (await reply.json()) as { error: { status: string; details: Record<string, unknown>[] } };
  expect([reply.status, error.status]).toEqual([429, "RESOURCE_EXHAUSTED"]);
  expect(error.details).toMatchObject([
    { violations: [{ quotaId: expect.stringContaining("PerDay") }] },
    {},
    { retryDelay: "2s" },
  ]);
  expect((await emulator.call("/v1beta/files")).status).toBe(200);
});

test("a dropped chunk keeps the whole blocks that arrived", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "chunk", kind: "drop", afterBytes: 600_000 }]);
  const url = await emulator.startedUpload();
  await expect(emulator.command(url, "upload", 0, bytes(chunk))).rejects.toThrow();
  const query = await emulator.command(url, "query");
  expect(query.headers.get("x-goog-upload-size-received")).toBe(String(2 * 256 * 1024));
});

test("a chunk that fails with a status keeps no bytes", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "chunk", kind: "status", status: 503 }]);
  const url = await emulator.startedUpload();
  expect((await emulator.command(url, "upload", 0, bytes(chunk))).status).toBe(503);
  expect((await emulator.command(url, "query")).headers.get("x-goog-upload-size-received")).toBe("0");
});

test("a lost reply to the final chunk leaves the file in place", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "chunk", kind: "cut-final-reply" }]);
  const url = await emulator.startedUpload();
  await emulator.command(url, "upload", 0, bytes(chunk));
  await expect(emulator.command(url, "upload, finalize", chunk, bytes(10))).rejects.toThrow();
  expect((await emulator.command(url, "query")).headers.get("x-goog-upload-status")).toBe("final");
  expect(await emulator.state()).toMatchObject({ files: 1, bytes: chunk + 10 });
});

test("a hanging request is never answered and ends with its connection", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "list", kind: "hang", times: -1 }]);
  const signal = AbortSignal.timeout(100);
  await expect(emulator.call("/v1beta/files", { signal })).rejects.toThrow();
  expect(await emulator.state()).toMatchObject({ requests: { list: 1 }, faultsLeft: 1 });
});

test("a file can stay PROCESSING, turn FAILED and vanish on demand", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults(["processing", "failed", "vanish"].map((kind) => ({ on: "get", kind })));
  const { name = "" } = await emulator.upload(bytes(10));
  const states = [];
  for (let index = 0; index < 4; index++) {
    const reply = await emulator.call(`/v1beta/${name}`);
    states.push(reply.ok ? ((await reply.json()) as { state: string }).state : reply.status);
  }
  expect(states).toEqual(["PROCESSING", "FAILED", 403, 403]);
});

test("`malformed-body` sends a body that is not JSON", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "list", kind: "malformed-body" }]);
  const text = await (await emulator.call("/v1beta/files")).text();
  expect(() => JSON.parse(text)).toThrow();
});

test("an invalid fault is refused by name and changes nothing", async () => {
  await using emulator = await openTestEmulator();
  await emulator.setFaults([{ on: "get", kind: "drop" }]);
  const reply = await emulator.setFaults([{ on: "get", kind: "explode" }]);
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("faults[0].kind")]);
  expect(await emulator.state()).toMatchObject({ faultsLeft: 1 });
});

test("`wait` answers when the figures are reached, and not before", async () => {
  await using emulator = await openTestEmulator();
  const waiting = emulator.call("/control/wait?requests.list=2&timeoutMs=20000");
  await emulator.call("/v1beta/files");
  await emulator.call("/v1beta/files");
  expect(await (await waiting).json()).toMatchObject({ requests: { list: 2 } });
  expect((await emulator.call("/control/wait?files=1&timeoutMs=20")).status).toBe(408);
  expect((await emulator.call("/control/wait?nonsense=1")).status).toBe(400);
});

test("bytes that are not HTTP do no harm", async () => {
  await using emulator = await openTestEmulator();
  const { hostname, port } = new URL(emulator.url);
  const socket = connect(Number(port), hostname);
  socket.end("nonsense\r\n\r\n");
  socket.resume();
  await once(socket, "close");
  expect((await emulator.call("/v1beta/files")).status).toBe(200);
});
