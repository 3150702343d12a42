import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readReplyText } from "./reply-text.ts";

const text = '{"state":"ACTIVE","displayName":"Grüße"}';
const read = (bytes: Buffer, encodings?: string) => readReplyText(Readable.from([bytes]), encodings);

test.each<[string | undefined, Buffer]>([
  [undefined, Buffer.from(text)],
  ["identity", Buffer.from(text)],
  ["gzip", gzipSync(text)],
  ["X-GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["br", brotliCompressSync(text)],
  ["gzip, br", brotliCompressSync(gzipSync(text))],
])("a reply encoded as %s is read", async (encodings, bytes) => {
  expect(await read(bytes, encodings)).toBe(text);
});

test("an empty reply is empty, whatever its encoding", async () => {
  expect(await read(Buffer.alloc(0), "gzip")).toBe("");
});

test("a reply that cannot be decompressed, or is too large, is rejected", async () => {
  await expect(read(Buffer.from(text), "gzip")).rejects.toThrow();
  await expect(read(gzipSync(text).subarray(0, 20), "gzip")).rejects.toThrow();
  await expect(read(gzipSync(Buffer.alloc(33 * 1024 * 1024)), "gzip")).rejects.toThrow();
  await expect(read(Buffer.alloc(33 * 1024 * 1024))).rejects.toThrow("larger than");
});
