import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { parseStorageUrl, type S3Address } from "@video-to-json/contract";
import { canStartS3, type S3Server, startS3Server } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openStorage } from "../index.ts";
import { ObjectMissing, type Storage, StorageUnavailable } from "../storage.ts";
import { chunks, listed, noLimit, storageContract } from "../storage-contract.harness.ts";
import { openBucket } from "./bucket.ts";
import { type OddServer, refuse, startOddServer } from "./odd-server.harness.ts";
import { createS3Storage } from "./s3-storage.ts";

let server: S3Server;
let odd: OddServer;
let scratchDir: string;
let prefix: string;
let storage: Storage;

beforeAll(async () => {
  if (!canStartS3) return;
  server = await startS3Server();
  odd = await startOddServer(server.endpoint);
  scratchDir = await mkdtemp(join(tmpdir(), "s3-storage-test-"));
});
beforeEach(async () => {
  if (!canStartS3) return;
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  odd.answer = undefined;
  prefix = randomUUID().slice(0, 8);
  storage = await openStorage(`s3://${server.bucket}/${prefix}?endpoint=${odd.endpoint}`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await odd?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  if (scratchDir) await rm(scratchDir, { recursive: true });
});

const mebibyte = 1024 * 1024;
const contents = async () => (await server.contents()).filter((name) => name.startsWith(prefix));
const isPart = (url = "") => url.includes("partNumber=");
const onServer = describe.runIf(canStartS3);

onServer("a bucket on Swift", () => {
  storageContract(async () => ({ storage, scratchDir, contents, chunkBytes: 6 * mebibyte, clockMs: 1000 }));
});

onServer("an object of several parts", () => {
  test("reads back unchanged, and each body is signed with its own SHA-256 and sent without newer checksums", async () => {
    const bytes = randomBytes(11 * mebibyte);
    const key = randomUUID();
    const headers: NodeJS.Dict<string | string[]>[] = [];
    odd.answer = (request) => {
      if (request.method === "PUT") headers.push(request.headers);
      return false;
    };
    const { sha256 } = await storage.put(key, chunksOf(bytes, 65_536), noLimit);
    expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect((await readFile(await storage.obtain(key, scratchDir))).equals(bytes)).toBe(true);
    const parts = [0, 5, 10].map((at) => bytes.subarray(at * mebibyte, Math.min(bytes.length, (at + 5) * mebibyte)));
    expect(headers.map((all) => all["x-amz-content-sha256"])).toEqual(
      parts.map((part) => createHash("sha256").update(part).digest("hex")),
    );
    expect(headers.flatMap(Object.keys).filter((name) => /checksum|expect|trailer/.test(name))).toEqual([]);
  });

  test("of exactly two parts has no empty third one", async () => {
    await storage.put(randomUUID(), chunksOf(Buffer.alloc(10 * mebibyte), mebibyte), noLimit);
    expect(odd.requests.filter((each) => each.includes(prefix) && isPart(each))).toHaveLength(2);
  });

  test("has larger parts if an object may need more than 10,000 small ones", async () => {
    const large = await openStorage(`s3://${server.bucket}/${prefix}?endpoint=${odd.endpoint}`, { maxBytes: 2 ** 36 });
    // Three parts of the usual size.
    await large.put(randomUUID(), chunksOf(Buffer.alloc(13 * mebibyte), mebibyte), noLimit);
    expect(odd.requests.filter((each) => each.includes(prefix) && isPart(each))).toHaveLength(2);
  });
});

onServer("a put fails as StorageUnavailable and leaves nothing", () => {
  test.each([
    ["507 for a part", 507, "InsufficientStorage", isPart],
    ["403 for the first request", 403, "AccessDenied", () => true],
    ["403 for every request, because a clock is wrong", 403, "RequestTimeTooSkewed", () => true],
    ["429 for every part", 429, "TooManyRequests", isPart],
    ["400 because the key of the encryption is disabled", 400, "KMS.DisabledException", isPart],
    ["404 for joining the parts", 404, "NoSuchUpload", (url = "") => /\?uploadId=/.test(url)],
  ])("when the server answers %s", async (_, status, code, isHit) => {
    odd.answer = (request, response) =>
      /^(PUT|POST)$/.test(request.method ?? "") && isHit(request.url) && refuse(response, status, code);
    const error = await storage.put(randomUUID(), chunks(6 * mebibyte, 1), noLimit).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(error).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 60, cause: { code } });
    expect(await contents()).toEqual([]);
  });

  test("when the server stops answering", async () => {
    const silent: ServerResponse[] = [];
    odd.answer = (request, response) => isPart(request.url) && silent.push(response) > 0;
    const address = parseStorageUrl(`s3://${server.bucket}/${prefix}?endpoint=${odd.endpoint}`) as S3Address;
    const impatient = await createS3Storage(address, { ...noLimit, silentMs: 200 });
    const putting = impatient.put(randomUUID(), chunks(6 * mebibyte, 1), noLimit);
    await expect(putting).rejects.toThrow(StorageUnavailable);
    expect(silent).toHaveLength(3);
    expect(await contents()).toEqual([]);
  });
});

onServer("faults that pass", () => {
  test("503 SlowDown and a lost connection are tried again, for parts and for reading", async () => {
    const seen = new Set<string>();
    odd.answer = (request, response) => {
      const what = `${request.method} ${request.url}`;
      if (seen.has(what) || seen.size > 6) return false;
      seen.add(what);
      if (seen.size % 2 === 0) return refuse(response, 503, "SlowDown");
      response.destroy();
      return true;
    };
    const key = randomUUID();
    await storage.put(key, chunks(6 * mebibyte, 5), noLimit);
    expect((await readFile(await storage.obtain(key, scratchDir))).length).toBe(6 * mebibyte + 5);
    expect(seen.size).toBeGreaterThan(3);
  });

  test("a copy that breaks off continues where it stopped", async () => {
    const bytes = randomBytes(3 * mebibyte);
    const key = randomUUID();
    await storage.put(key, chunksOf(bytes, mebibyte), noLimit);
    const ranges: (string | undefined)[] = [];
    odd.answer = (request, response) => {
      if (request.method !== "GET" || !request.url?.includes(key)) return false;
      ranges.push(request.headers.range);
      if (ranges.length > 1) return false;
      response.writeHead(200, { "content-length": bytes.length, etag: `"${md5(bytes)}"` });
      response.write(bytes.subarray(0, mebibyte), () => response.destroy());
      return true;
    };
    expect((await readFile(await storage.obtain(key, scratchDir))).equals(bytes)).toBe(true);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=\d+-$/)]);
  });
});

onServer("a server that asks for pauses", () => {
  test("gets them: five times 503 SlowDown for each part fail no upload", async () => {
    const refusals = new Map<string, number>();
    odd.answer = (request, response) => {
      const part = new URL(request.url ?? "", odd.endpoint).searchParams.get("partNumber");
      const count = (part && refusals.get(part)) || 0;
      if (part === null || count === 5) return false;
      refusals.set(part, count + 1);
      return refuse(response, 503, "SlowDown");
    };
    const key = randomUUID();
    await storage.put(key, chunks(6 * mebibyte), noLimit);
    expect((await readFile(await storage.obtain(key, scratchDir))).length).toBe(6 * mebibyte);
    expect([...refusals.values()]).toEqual([5, 5]);
  });

  test("an upload whose caller leaves waits for no pause", async () => {
    const controller = new AbortController();
    odd.answer = (request, response) => {
      if (!isPart(request.url)) return false;
      controller.abort(new Error("caller left"));
      return refuse(response, 503, "SlowDown");
    };
    const { signal } = controller;
    await expect(storage.put(randomUUID(), chunks(6 * mebibyte, 1), { ...noLimit, signal })).rejects.toThrow(
      "caller left",
    );
    expect(await contents()).toEqual([]);
  });
});

onServer("the bucket is not trusted", () => {
  test("an object above the limit is refused, also when the server does not say its length, and leaves no file", async () => {
    const key = randomUUID();
    odd.answer = (request, response) => {
      if (request.method !== "GET" || !request.url?.includes(key)) return false;
      response.writeHead(200, { etag: '"x"' });
      const timer = setInterval(() => response.write(Buffer.alloc(mebibyte)), 1);
      response.on("close", () => clearInterval(timer));
      return true;
    };
    const small = await openStorage(`s3://${server.bucket}/${prefix}?endpoint=${odd.endpoint}`, { maxBytes: 5000 });
    await expect(small.obtain(key, scratchDir)).rejects.toMatchObject({ code: "file_too_large" });
    expect(await readdir(scratchDir)).not.toContain(key);
  });

  test("foreign names are neither listed nor deleted, and an empty prefix reads no folder", async () => {
    const key = randomUUID();
    const root = await openStorage(`s3://${server.bucket}?endpoint=${odd.endpoint}`);
    const [inner, atRoot] = [randomUUID(), randomUUID()];
    await storage.put(inner, chunks(1), noLimit);
    await root.put(atRoot, chunks(1), noLimit);
    // The sweep of orphans deletes the listed objects.
    await server.putObject(`${prefix}/notes.txt`);
    expect((await listed(storage)).map((object) => object.key)).toEqual([inner]);
    expect((await listed(root)).map((object) => object.key)).toEqual([atRoot]);
    await root.delete(key);
    await root.delete(inner);
    expect((await contents()).sort()).toEqual([`${prefix}/${inner}`, `${prefix}/notes.txt`].sort());
    await root.delete(atRoot);
  });
});

onServer("servers that differ", () => {
  test("a server that cannot list uploads in parts serves everything else, and a failed upload is still aborted", async () => {
    odd.answer = (request, response) =>
      /[?&]uploads/.test(request.url ?? "") && request.method === "GET" && refuse(response, 501, "NotImplemented");
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(6 * mebibyte, 1), noLimit);
    expect(await listed(storage)).toMatchObject([{ key, complete: true }]);
    await storage.delete(key);
    async function* failing() {
      yield* chunks(6 * mebibyte, 6 * mebibyte);
      throw new Error("caller left");
    }
    await expect(storage.put(randomUUID(), failing(), noLimit)).rejects.toThrow("caller left");
    expect(await contents()).toEqual([]);
  });

  test.each([
    ["400", 400, "InvalidRequest"],
    ["403", 403, "AccessDenied"],
    ["404", 404, "NotFound"],
    ["405", 405, "MethodNotAllowed"],
  ])("the list of unfinished uploads may be refused with %s", async (_, status, code) => {
    odd.answer = (request, response) =>
      /[?&]uploads/.test(request.url ?? "") && request.method === "GET" && refuse(response, status, code);
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    expect(await listed(storage)).toMatchObject([{ key }]);
    await storage.delete(key);
    expect(await contents()).toEqual([]);
  });

  test("a key that may not list the bucket can store, read and delete; only the sweep reports the missing right", async () => {
    odd.answer = (request, response) =>
      /^(GET|HEAD)$/.test(request.method ?? "") &&
      !/[0-9a-f-]{36}$/.test(new URL(request.url ?? "", odd.endpoint).pathname) &&
      refuse(response, 403, "AccessDenied");
    await storage.ready();
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(6 * mebibyte, 1), noLimit);
    expect((await readFile(await storage.obtain(key, scratchDir))).length).toBe(6 * mebibyte + 1);
    await storage.delete(key);
    expect(Math.abs((await storage.now()).getTime() - Date.now())).toBeLessThan(60_000);
    await expect(listed(storage)).rejects.toThrow("Allow it the actions");
    expect(await contents()).toEqual([]);
  });

  test("404 for deleting a missing object is a success", async () => {
    odd.answer = (request, response) => request.method === "DELETE" && refuse(response, 404, "NoSuchKey");
    await storage.ready();
    await storage.delete(randomUUID());
  });

  test("the bucket is in the host name if the address says so", async () => {
    const address = parseStorageUrl(
      `s3://${server.bucket}/${prefix}?endpoint=http://localhost:${new URL(odd.endpoint).port}&path-style=false`,
    ) as S3Address;
    const { client, name } = await openBucket(address, {});
    const hosts: string[] = [];
    client.middlewareStack.add(
      () => async (args) => {
        const { hostname, path } = args.request as { hostname: string; path: string };
        hosts.push(`${hostname}${path}`);
        throw new Error("not sent");
      },
      { step: "finalizeRequest", priority: "low" },
    );
    await client.send(new HeadBucketCommand({ Bucket: name })).catch(() => undefined);
    expect(hosts).toEqual([`${server.bucket}.localhost/`]);
  });

  test("the list of unfinished uploads is read page by page, and one that repeats a page ends", async () => {
    const keys = Array.from({ length: 5 }, () => randomUUID()).sort();
    const pages = keys.map(
      (
        key,
        index,
      ) => `<Upload><Key>${prefix}/${key}</Key><UploadId>u${index}</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>
        <NextKeyMarker>${prefix}/${key}</NextKeyMarker><NextUploadIdMarker>u${index}</NextUploadIdMarker>`,
    );
    let ignoresMarkers = false;
    odd.answer = (request, response) => {
      const url = new URL(request.url ?? "", odd.endpoint);
      if (request.method !== "GET") return false;
      response.setHeader("content-type", "application/xml");
      if (url.searchParams.has("uploads")) {
        const after = url.searchParams.get("key-marker");
        const index = ignoresMarkers ? 0 : keys.findIndex((key) => `${prefix}/${key}` === after) + 1;
        const more = ignoresMarkers || index < keys.length - 1;
        response.end(
          `<ListMultipartUploadsResult><IsTruncated>${more}</IsTruncated>${pages[index]}</ListMultipartUploadsResult>`,
        );
        return true;
      }
      if (!url.searchParams.has("uploadId")) return response.removeHeader("content-type") === undefined && false;
      response.end("<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>");
      return true;
    };
    expect((await listed(storage)).map(({ key }) => key)).toEqual(keys);
    ignoresMarkers = true;
    expect(new Set((await listed(storage)).map(({ key }) => key))).toEqual(new Set([keys[0]]));
  });
});

onServer("an unfinished upload", () => {
  test("counts from its last part, and the remains of a dead process are deleted by its key", async () => {
    const key = randomUUID();
    const source = new PassThrough();
    const putting = storage.put(key, source, noLimit);
    putting.catch(() => undefined);
    source.write(Buffer.alloc(6 * mebibyte));
    await expect.poll(() => listed(storage)).toMatchObject([{ bytes: 5 * mebibyte }]);
    const [first] = await listed(storage);
    const other = await openStorage(`s3://${server.bucket}/${prefix}/?endpoint=${server.endpoint}`);
    await expect
      .poll(async () => (await storage.now()).getTime())
      .toBeGreaterThan((first?.modifiedAt.getTime() ?? 0) + 1000);
    source.write(Buffer.alloc(5 * mebibyte));
    await expect.poll(() => listed(storage)).toMatchObject([{ bytes: 10 * mebibyte }]);
    const [later] = await listed(storage);
    expect(later?.modifiedAt.getTime()).toBeGreaterThan(first?.modifiedAt.getTime() ?? 0);
    await other.delete(key);
    expect(await contents()).toEqual([]);
    source.end();
    await expect(putting).rejects.toThrow(StorageUnavailable);
  });
});

onServer("a wrong setting is named, with what to correct", () => {
  test.each([
    ["a missing bucket", () => `s3://absent/x?endpoint=${server.endpoint}`, {}, "There is no such bucket"],
    [
      "a wrong secret",
      () => `s3://${server.bucket}?endpoint=${server.endpoint}`,
      { AWS_SECRET_ACCESS_KEY: "wrong" },
      "refused the access key",
    ],
    [
      "an unknown key",
      () => `s3://${server.bucket}?endpoint=${server.endpoint}`,
      { AWS_ACCESS_KEY_ID: "who:ever" },
      "refused the access key",
    ],
    [
      "an address where nothing listens",
      () => `s3://${server.bucket}?endpoint=http://127.0.0.1:1`,
      {},
      "Nothing listens",
    ],
  ])("%s", async (_, url, env, advice) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const wrong = await openStorage(url());
    await expect(wrong.ready()).rejects.toThrow(advice);
    await expect(wrong.put(randomUUID(), chunks(1), noLimit)).rejects.toThrow(StorageUnavailable);
    await expect(wrong.delete(randomUUID())).rejects.toThrow(advice);
  });

  test("a missing permission to write", async () => {
    odd.answer = (request, response) => request.method === "PUT" && refuse(response, 403, "AccessDenied");
    await expect(storage.ready()).rejects.toThrow("Allow it the actions");
    odd.answer = undefined;
    await storage.ready();
    expect(await contents()).toEqual([]);
  });

  test("a job whose upload is gone fails at once", async () => {
    await expect(storage.obtain(randomUUID(), scratchDir)).rejects.toThrow(ObjectMissing);
  });
});

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("hex");
}
