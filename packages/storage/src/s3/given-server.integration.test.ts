import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseStorageUrl, type S3Address } from "@video-to-json/contract";
import { afterAll, beforeAll, describe } from "vitest";
import { openStorage } from "../index.ts";
import { storageContract } from "../storage-contract.harness.ts";
import { listObjects, listOpenUploads, openBucket } from "./bucket.ts";

/**
 * A bucket on any server that speaks S3, such as "s3://bucket?endpoint=http://127.0.0.1:9000". The AWS SDK finds the
 * keys.
 */
const url = process.env.VIDEO_TO_JSON_TEST_S3_URL ?? "";

describe.runIf(url)("the bucket of VIDEO_TO_JSON_TEST_S3_URL", () => {
  let scratchDir: string;
  beforeAll(async () => {
    scratchDir = await mkdtemp(join(tmpdir(), "given-s3-test-"));
  });
  afterAll(() => rm(scratchDir, { recursive: true }));

  storageContract(async () => {
    const own = new URL(url);
    own.pathname = join(own.pathname, randomUUID());
    const bucket = await openBucket(parseStorageUrl(own.href) as S3Address, {});
    const send = bucket.client.send.bind(bucket.client);
    const contents = async () => {
      const names: string[] = [];
      for await (const { key } of listObjects(send, bucket)) names.push(key);
      for await (const { key } of listOpenUploads(send, bucket)) names.push(`${key}?uploadId`);
      return names;
    };
    const storage = await openStorage(own.href);
    return { storage, scratchDir, contents, chunkBytes: 6 * 1024 * 1024, clockMs: 1000 };
  });
});
