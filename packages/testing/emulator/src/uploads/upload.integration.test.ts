import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openTestEmulator, refusal } from "../emulator.harness.ts";

const chunk = 8 * 1024 * 1024;
const bytes = (length: number) => new Uint8Array(length).fill(7);

test("the reply to a start contains the upload's URL, the granularity and the active status", async () => {
  await using emulator = await openTestEmulator();
  const reply = await emulator.start({ file: { display_name: "clip" } });
  expect([reply.status, await reply.text()]).toEqual([200, ""]);
  expect(reply.headers.get("x-goog-upload-url")).toContain(`${emulator.url}/upload/v1beta/files?upload_id=`);
  expect(reply.headers.get("x-goog-upload-status")).toBe("active");
  expect(reply.headers.get("x-goog-upload-chunk-granularity")).toBe(String(chunk));
});

test("a file can arrive in chunks and be finalized without further bytes", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  const first = await emulator.command(url, "upload", 0, bytes(chunk));
  expect([first.status, first.headers.get("x-goog-upload-status"), await first.text()]).toEqual([200, "active", ""]);
  expect((await emulator.command(url, "upload", chunk, bytes(chunk))).status).toBe(200);
  const last = await emulator.command(url, "finalize");
  expect(last.headers.get("x-goog-upload-status")).toBe("final");
  const { file } = (await last.json()) as { file: Record<string, unknown> };
  const digest = createHash("sha256")
    .update(bytes(2 * chunk))
    .digest("hex");
  expect(file).toMatchObject({ sizeBytes: String(2 * chunk), mimeType: "video/mp4", state: "PROCESSING" });
  expect(Buffer.from(String(file.sha256Hash), "base64").toString()).toBe(digest);
});

test("a wrong offset is refused and the upload continues", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  const wrong = await emulator.command(url, "upload", chunk, bytes(chunk));
  expect(wrong.headers.get("x-goog-upload-status")).toBe("active");
  expect((await refusal(wrong)).slice(0, 2)).toEqual([400, "INVALID_ARGUMENT"]);
  expect((await emulator.command(url, "upload, finalize", 0, bytes(5))).status).toBe(200);
});

test("a chunk that is not a multiple of the granularity is refused unless it is the last", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  expect((await emulator.command(url, "upload", 0, bytes(chunk - 1))).status).toBe(400);
  const query = await emulator.command(url, "query");
  expect(query.headers.get("x-goog-upload-size-received")).toBe("0");
  expect((await emulator.command(url, "upload, finalize", 0, bytes(chunk - 1))).status).toBe(200);
});

test("more or fewer bytes than announced are refused", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload({ "x-goog-upload-header-content-length": "10" });
  expect((await emulator.command(url, "upload, finalize", 0, bytes(11))).status).toBe(400);
  expect((await emulator.command(url, "upload, finalize", 0, bytes(9))).status).toBe(400);
  const query = await emulator.command(url, "query");
  expect(query.headers.get("x-goog-upload-status")).toBe("active");
});

test("an upload of more than 2 GB does not start", async () => {
  await using emulator = await openTestEmulator();
  const length = (size: number) => ({ "x-goog-upload-header-content-length": String(size) });
  expect((await emulator.start({}, length(2 * 1024 ** 3 + 1))).status).toBe(400);
  expect((await emulator.start({}, length(2 * 1024 ** 3))).status).toBe(200);
});

test("after a broken connection a query shows how many bytes were kept, and the upload continues there", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  const headers = { "x-goog-upload-command": "upload", "x-goog-upload-offset": "0", "content-length": String(chunk) };
  await emulator.breakOff(url, headers, bytes(1_000_000));
  const query = await emulator.command(url, "query");
  const kept = Number(query.headers.get("x-goog-upload-size-received"));
  expect(query.headers.get("x-goog-upload-status")).toBe("active");
  expect([kept % (256 * 1024), kept <= 1_000_000]).toEqual([0, true]);
  const last = await emulator.command(url, "upload, finalize", kept, bytes(3_000_000 - kept));
  expect(await last.json()).toMatchObject({ file: { sizeBytes: "3000000" } });
});

test("a finished upload accepts no bytes, and a query says final", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  await emulator.command(url, "upload, finalize", 0, bytes(3));
  const again = await emulator.command(url, "upload, finalize", 0, bytes(3));
  expect(again.headers.get("x-goog-upload-status")).toBe("final");
  expect(await refusal(again)).toEqual([400, "INVALID_ARGUMENT", "Upload has already been terminated."]);
  expect((await emulator.command(url, "query")).headers.get("x-goog-upload-status")).toBe("final");
  expect(await emulator.state()).toMatchObject({ files: 1, openUploads: 0 });
});

test("an upload counts as open from its first chunk on", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  expect(await emulator.state()).toMatchObject({ openUploads: 0 });
  await emulator.command(url, "upload", 0, bytes(chunk));
  expect(await emulator.state()).toMatchObject({ openUploads: 1 });
});

test("a cancelled upload accepts no bytes and stores none", async () => {
  await using emulator = await openTestEmulator();
  const url = await emulator.startedUpload();
  await emulator.command(url, "upload", 0, bytes(chunk));
  expect((await emulator.command(url, "cancel")).status).toBe(200);
  expect((await emulator.command(url, "query")).headers.get("x-goog-upload-status")).toBe("cancelled");
  expect((await emulator.command(url, "upload", chunk, bytes(chunk))).status).toBe(400);
  expect(await emulator.state()).toMatchObject({ files: 0, bytes: 0, openUploads: 0 });
});

test("an upload that was never started is not found", async () => {
  await using emulator = await openTestEmulator();
  const reply = await emulator.command(`${emulator.url}/upload/v1beta/files?upload_id=none`, "query");
  expect((await refusal(reply)).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
});

test("a name that the caller chose is kept, and refused while it is in use", async () => {
  await using emulator = await openTestEmulator();
  const reply = await emulator.start({ file: { name: "files/my-clip" } });
  await emulator.command(reply.headers.get("x-goog-upload-url") ?? "", "upload, finalize", 0, bytes(3));
  expect((await emulator.call("/v1beta/files/my-clip")).status).toBe(200);
  const again = await refusal(await emulator.start({ file: { name: "files/my-clip" } }));
  expect(again.slice(0, 2)).toEqual([409, "ALREADY_EXISTS"]);
  expect((await emulator.start({ file: { name: "files/-No" } })).status).toBe(400);
});

test("an unknown field of the metadata is refused by name", async () => {
  await using emulator = await openTestEmulator();
  const message = "Invalid JSON payload received. Unknown name \"colour\" at 'file': Cannot find field.";
  expect(await refusal(await emulator.start({ file: { colour: "red" } }))).toEqual([400, "INVALID_ARGUMENT", message]);
});

test("a whole file can arrive in one multipart request", async () => {
  await using emulator = await openTestEmulator();
  const part = (type: string, content: string) => `--xyz\r\nContent-Type: ${type}\r\n\r\n${content}`;
  const metadata = JSON.stringify({ file: { mimeType: "video/mp4", displayName: "multi" } });
  const body = `${part("application/json; charset=utf-8", metadata)}\r\n${part("video/mp4", "12345\r\n--67")}\r\n--xyz--`;
  const reply = await emulator.call("/upload/v1beta/files", {
    method: "POST",
    headers: {
      "x-goog-api-key": "key-one",
      "x-goog-upload-protocol": "multipart",
      "content-type": "multipart/related; boundary=xyz",
    },
    body,
  });
  const digest = createHash("sha256").update("12345\r\n--67").digest("hex");
  const { file } = (await reply.json()) as { file: Record<string, unknown> };
  expect(file).toMatchObject({ displayName: "multi", sizeBytes: "11", mimeType: "video/mp4" });
  expect(Buffer.from(String(file.sha256Hash), "base64").toString()).toBe(digest);
});

test("the upload's URL repeats a key from the URL, not a key from the header", async () => {
  await using emulator = await openTestEmulator();
  const headers = { "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start" };
  const type = { "x-goog-upload-header-content-type": "video/mp4" };
  const init = { method: "POST", headers: { ...headers, ...type } };
  const inUrl = await fetch(`${emulator.url}/upload/v1beta/files?key=abc`, init);
  expect(inUrl.headers.get("x-goog-upload-url")).toContain("key=abc");
  expect(await emulator.startedUpload()).not.toContain("key=");
});
