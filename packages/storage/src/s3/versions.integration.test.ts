import { randomUUID } from "node:crypto";
import {
  CreateBucketCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { parseStorageUrl, type S3Address } from "@video-to-json/contract";
import { canStartS3, type S3Server, startS3Server } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openStorage } from "../index.ts";
import type { Storage } from "../storage.ts";
import { chunks, listed, noLimit } from "../storage-contract.harness.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { type OddServer, refuse, startOddServer } from "./odd-server.harness.ts";

let server: S3Server;
let odd: OddServer;
let bucket: Bucket;
let storage: Storage;

beforeAll(async () => {
  if (!canStartS3) return;
  server = await startS3Server();
  odd = await startOddServer(server.endpoint);
});
beforeEach(async () => {
  if (!canStartS3) return;
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  odd.answer = undefined;
  const url = `s3://${randomUUID()}?endpoint=${odd.endpoint}`;
  bucket = await openBucket(parseStorageUrl(url) as S3Address, {});
  await bucket.client.send(new CreateBucketCommand({ Bucket: bucket.name }));
  storage = await openStorage(url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await odd?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

async function setVersioning(Status: "Enabled" | "Suspended"): Promise<void> {
  const VersioningConfiguration = { Status };
  await bucket.client.send(new PutBucketVersioningCommand({ Bucket: bucket.name, VersioningConfiguration }));
}

/** Returns the bytes of everything that the bucket keeps, also of what a list of its objects hides. */
async function keptBytes(): Promise<number[]> {
  const { Versions = [] } = await bucket.client.send(new ListObjectVersionsCommand({ Bucket: bucket.name }));
  return Versions.map(({ Size = 0 }) => Size);
}

describe.runIf(canStartS3)("a bucket that keeps the versions of its objects", () => {
  test("keeps nothing of a deleted video, nor of the trial at the start", async () => {
    await setVersioning("Enabled");
    await storage.ready();
    expect(await keptBytes()).toEqual([]);
    const key = randomUUID();
    await storage.put(key, chunks(6_000_000, 5), noLimit);
    await storage.delete(key);
    await storage.delete(key);
    expect(await keptBytes()).toEqual([]);
    expect(await listed(storage)).toEqual([]);
  });

  test("keeps an object of others whose name begins as that of a deleted video", async () => {
    await setVersioning("Enabled");
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key: `${key}.txt`, Body: "notes" }));
    await storage.delete(key);
    expect(await keptBytes()).toEqual([5]);
  });

  test("keeps nothing of a video that was stored twice, or before the bucket kept versions", async () => {
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    await setVersioning("Enabled");
    await storage.put(key, chunks(2), noLimit);
    await storage.put(key, chunks(3), noLimit);
    expect((await keptBytes()).sort()).toEqual([1, 2, 3]);
    await storage.delete(key);
    expect(await keptBytes()).toEqual([]);
    await storage.put(key, chunks(4), noLimit);
    await setVersioning("Suspended");
    await storage.put(key, chunks(5), noLimit);
    await storage.delete(key);
    expect(await keptBytes()).toEqual([]);
  });

  test("shows a video until its last version is deleted, so a sweep finds what a killed process left", async () => {
    await setVersioning("Enabled");
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    await storage.put(key, chunks(2), noLimit);
    let deletions = 0;
    odd.answer = ({ method }, response) => method === "DELETE" && ++deletions > 1 && refuse(response, 400, "Killed");
    await expect(storage.delete(key)).rejects.toThrow("Killed");
    odd.answer = undefined;
    expect(await listed(storage)).toMatchObject([{ key, bytes: 2 }]);
    expect(await keptBytes()).toEqual([2]);
    await storage.delete(key);
    expect(await keptBytes()).toEqual([]);
  });

  test("is refused at the start, with what to do, if the key may not delete versions", async () => {
    await setVersioning("Enabled");
    odd.answer = ({ method, url = "" }, response) =>
      method === "DELETE" && /[?&]versionId=/.test(url) && refuse(response, 403, "AccessDenied");
    await expect(storage.ready()).rejects.toThrow("s3:DeleteObjectVersion");
    odd.answer = undefined;
    await storage.ready();
    expect(await keptBytes()).toEqual([]);
  });

  test("is refused at the start if it ignores which version to delete", async () => {
    await setVersioning("Enabled");
    odd.answer = ({ method, url = "" }, response) => {
      if (method !== "DELETE" || !/[?&]versionId=/.test(url)) return false;
      response.writeHead(204).end();
      return true;
    };
    await expect(storage.ready()).rejects.toThrow("keeps versions");
  });

  test("is used as usual if it only names versions, and cannot list them", async () => {
    odd.answer = ({ method, url = "" }, response) => {
      if (method === "PUT") response.setHeader("x-amz-version-id", "1");
      return /[?&]versions/.test(url) && refuse(response, 501, "NotImplemented");
    };
    await storage.ready();
    const key = randomUUID();
    await storage.put(key, chunks(1), noLimit);
    await storage.delete(key);
    odd.answer = undefined;
    expect(await keptBytes()).toEqual([]);
  });
});
