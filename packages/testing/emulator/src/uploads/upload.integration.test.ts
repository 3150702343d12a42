import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openTestEmulator, refusal } from "../emulator.harness.ts";

const chunk = 8 * 1024 * 1024;
const bytes = (length: number) => new Uint8Array(length).fill(7);

test("a file can arrive in chunks and be finalized without further bytes", async () => {
  await using emulator = await openTestEmulator();
  const reply = await emulator.start({ file: { display_name: "clip" } });
  expect([reply.status, reply.headers.get("x-goog-upload-status")]).toEqual([200, "active"]);
  expect(reply.headers.get("x-goog-upload-chunk-granularity")).toBe(String(chunk));
  const url = reply.headers.get("x-goog-upload-url") ?? "";
  expect(url).toContain(`${emulator.url}/upload/v1beta/files?upload_id=`);
  expect(await emulator.state()).toMatchObject({ openUploads: 0 });
  expect((await emulator.command(url, "upload", 0, bytes(chunk))).headers.get("x-goog-upload-status")).toBe("active");
  expect(await emulator.state()).toMatchObject({ openUploads: 1, bytes: chunk });
  expect((await emulator.command(url, "upload", chunk, bytes(chunk))).status).toBe(200);
  const last = await emulator.command(url, "finalize");
  expect(last.headers.get("x-goog-upload-status")).toBe("final");
  const { file } = (await last.json()) as { file: Record<string, unknown> };
  const whole = bytes(2 * chunk);
  expect(file).toMatchObject({ sizeBytes: String(2 * chunk), displayName: "clip", state: "PROCESSING" });
  const digest = createHash("sha256").update(whole).digest("hex");
  expect(Buffer.from(String(file.sha256Hash), "base64").toString()).toBe(digest);
  const again = await emulator.command(url, "upload, finalize", 0, bytes(3));
  expect(again.headers.get("x-goog-upload-status")).toBe("final");
  expect(await refusal(again)).toEqual([400, "INVALID_ARGUMENT", "Upload has already been terminated."]);
  expect((await emulator.command(url, "query")).headers.get("x-goog-upload-status")).toBe("final");
});

test.each<[string, object, string, number, number]>([
  ["a wrong offset", {}, "upload", chunk, chunk],
  ["a chunk that is not a multiple of the granularity", {}, "upload", 0, chunk - 1],
  ["more bytes than announced", { "x-goog-upload-header-content-length": "10" }, "upload, finalize", 0, 11],
  ["fewer bytes than announced", { "x-goog-upload-header-content-length": "10" }, "upload, finalize", 0, 9],
])("%s is refused, and the upload stays active", async (_what, headers, name, offset, length) => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload({ ...headers });
  const refused = await emulator.command(url, name, offset, bytes(length));
  expect([refused.status, refused.headers.get("x-goog-upload-status")]).toEqual([400, "active"]);
  const right = "x-goog-upload-header-content-length" in headers ? 10 : 5;
  const { status, headers: query } = await emulator.command(url, "query");
  const received = Number(query.get("x-goog-upload-size-received"));
  expect([status, query.get("x-goog-upload-status")]).toEqual([200, "active"]);
  expect((await emulator.command(url, "upload, finalize", received, bytes(right - received))).status).toBe(200);
});

test("after a broken connection a query shows how many bytes were kept, and the upload continues there", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  const headers = { "x-goog-upload-command": "upload", "x-goog-upload-offset": "0", "content-length": String(chunk) };
  await emulator.breakOff(url, headers, bytes(1_000_000));
  const query = await emulator.command(url, "query");
  const kept = Number(query.headers.get("x-goog-upload-size-received"));
  expect([kept % (256 * 1024), kept <= 1_000_000]).toEqual([0, true]);
  const last = await emulator.command(url, "upload, finalize", kept, bytes(3_000_000 - kept));
  expect(await last.json()).toMatchObject({ file: { sizeBytes: "3000000" } });
});

test("a cancelled upload stores no bytes, and an unknown one is not found", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  await emulator.command(url, "upload", 0, bytes(chunk));
  expect((await emulator.command(url, "cancel")).status).toBe(200);
  expect((await emulator.command(url, "upload", chunk, bytes(chunk))).status).toBe(400);
  expect(await emulator.state()).toMatchObject({ files: 0, bytes: 0, openUploads: 0 });
  const unknown = `${emulator.url}/upload/v1beta/files?upload_id=nobody`;
  expect((await refusal(await emulator.command(unknown, "query"))).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
});

test("an upload that Gemini refuses does not start", async () => {
  await using emulator = await openTestEmulator();
  const length = (size: number) => ({ "x-goog-upload-header-content-length": String(size) });
  expect((await emulator.start({}, length(2 * 1024 ** 3 + 1))).status).toBe(400);
  expect((await emulator.start({}, length(2 * 1024 ** 3))).status).toBe(200);
  const message = "Invalid JSON payload received. Unknown name \"colour\" at 'file': Cannot find field.";
  expect(await refusal(await emulator.start({ file: { colour: "red" } }))).toEqual([400, "INVALID_ARGUMENT", message]);
});

test("a file of an unknown type, and one beyond 20 GB of files and open uploads, are refused", async () => {
  await using emulator = await openTestEmulator();
  const odd = await emulator.start({}, { "x-goog-upload-header-content-type": "application/x-nonsense" });
  expect(await refusal(odd)).toEqual([400, "INVALID_ARGUMENT", "Unsupported MIME type: application/x-nonsense"]);
  const large = { "x-goog-upload-header-content-length": String(2 * 1024 ** 3) };
  for (let count = 0; count < 9; count++) expect((await emulator.start({}, large)).status).toBe(200);
  expect((await refusal(await emulator.start({}, large))).slice(0, 2)).toEqual([429, "RESOURCE_EXHAUSTED"]);
});
