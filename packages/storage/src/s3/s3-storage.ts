import { join } from "node:path";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { S3Address } from "@video-to-json/contract";
import { createHasher } from "../copy/hashing/hasher.ts";
import { requireKey, type Storage, StorageUnavailable, type StoredObject } from "../storage.ts";
import {
  type Bucket,
  describeUpload,
  listObjects,
  listOpenUploads,
  obtainObject,
  openBucket,
  type Send,
} from "./bucket.ts";
import { createPartTurns, PutRefused, putObject } from "./put-object.ts";
import { asS3Fault, isAbsent, isForbidden, isOfServer, versionKept } from "./s3-fault.ts";

/**
 * The time limit of a request with all its retries, in milliseconds. It does not apply to requests for the bytes of an
 * object.
 */
const askMs = 8000;
const mebibyte = 1024 * 1024;
/** The minimum size of a part in S3, except the last one. */
const minPartBytes = 5 * mebibyte;
const maxParts = 10_000;
/** The memory of all uploads of a process. */
const memoryBytes = 160 * mebibyte;

/**
 * Opens a storage that keeps objects in a bucket. Any number of processes may share it.
 *
 * @param options.maxBytes is the largest object, in bytes. It sets the size of the parts.
 * @param options.silentMs is how long the server may be silent, in milliseconds; 4000 by default.
 */
export async function createS3Storage(
  address: S3Address,
  options: { maxBytes: number; silentMs?: number },
): Promise<Storage> {
  const bucket = await openBucket(address, options);
  const slotBytes = partBytesFor(options.maxBytes);
  const slotCount = Math.max(4, Math.floor(memoryBytes / slotBytes));
  const hasher = createHasher({ slotBytes, slotCount });
  const turns = createPartTurns(slotCount);
  const send = withDeadline(bucket.client);
  const explain = (error: unknown) => asS3Fault(error, address);
  let hasWorked = false;

  return {
    async put(key, source, given) {
      // The source may fail before it is read, and an `error` event without a listener ends the process.
      if (source instanceof Readable) source.on("error", () => undefined);
      try {
        requireKey(key);
        given.signal?.throwIfAborted();
        return await putObject({ bucket, hasher, turns }, key, source, given);
      } catch (error) {
        if (source instanceof Readable) source.destroy();
        if (error instanceof TypeError) throw error;
        // If the server is unavailable, the sweep deletes the rest.
        await deleteObject(send, bucket, key).catch(() => undefined);
        throw error instanceof PutRefused ? new StorageUnavailable({ cause: explain(error.cause) }) : error;
      }
    },

    async obtain(key, scratchDir, signal) {
      const path = join(scratchDir, requireKey(key));
      signal?.throwIfAborted();
      await obtainObject(bucket, key, path, { ...options, signal }).catch((error) => {
        throw isOfServer(error) ? new StorageUnavailable({ cause: explain(error) }) : error;
      });
      return path;
    },

    async delete(key) {
      requireKey(key);
      await deleteObject(send, bucket, key).catch((error) => {
        throw explain(error);
      });
    },

    async *list() {
      try {
        yield* listAll(send, bucket);
      } catch (error) {
        throw explain(error);
      }
    },

    async now() {
      try {
        return await readClock(bucket);
      } catch (error) {
        throw explain(error);
      }
    },

    async ready() {
      try {
        // A list costs Amazon's customers twelve times as much, but only a list says what is wrong.
        if (hasWorked && (await isThere(send, bucket))) return;
        const isListed = await canList(send, bucket);
        if (!hasWorked || !isListed) await tryAll(send, bucket);
        hasWorked = true;
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** All parts have one size, because some servers insist on it. */
function partBytesFor(maxBytes: number): number {
  return Math.max(minPartBytes, mebibyte * Math.ceil(maxBytes / maxParts / mebibyte));
}

function withDeadline(client: S3Client): Send {
  return ((command: Parameters<Send>[0]) => client.send(command, { abortSignal: AbortSignal.timeout(askMs) })) as Send;
}

async function* listAll(send: Send, bucket: Bucket): AsyncGenerator<StoredObject> {
  yield* listObjects(send, bucket);
  for await (const upload of listOpenUploads(send, bucket)) {
    const object = await describeUpload(send, bucket, upload);
    if (object) yield object;
  }
}

/** Deletes an object last, in case a put finishes meanwhile. */
async function deleteObject(send: Send, bucket: Bucket, key: string): Promise<void> {
  const { name, prefix } = bucket;
  const Key = `${prefix}${key}`;
  for await (const { uploadId } of listOpenUploads(send, bucket, key)) {
    await ignoring(isAbsent, send(new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId: uploadId })));
  }
  await deleteComplete(send, bucket, Key);
}

/**
 * Deletes an object with all of its versions. In a bucket that keeps versions, a deletion that names none only hides the
 * object.
 */
async function deleteComplete(send: Send, bucket: Bucket, Key: string): Promise<void> {
  const object = { Bucket: bucket.name, Key };
  if (!bucket.keepsVersions) {
    const hidden = await ignoring(isAbsent, send(new DeleteObjectCommand(object)));
    if (!hidden?.DeleteMarker) return;
    bucket.keepsVersions = true;
  }
  const deleted = new Set<string | undefined>();
  for (;;) {
    const ids = await versionsOf(send, bucket, Key);
    if (ids.length === 0) return;
    for (const VersionId of ids) {
      if (deleted.has(VersionId)) throw versionKept();
      await ignoring(isAbsent, send(new DeleteObjectCommand({ ...object, VersionId }))).catch(throwKeptIfForbidden);
      deleted.add(VersionId);
    }
  }
}

/**
 * Returns the ids of the versions of an object, oldest first, and then those of the marks that hide them. While the newest
 * version is there, a list shows the object, and a sweep finds it.
 */
async function versionsOf(send: Send, { name }: Bucket, Key: string): Promise<(string | undefined)[]> {
  const page = await send(new ListObjectVersionsCommand({ Bucket: name, Prefix: Key })).catch(throwKeptIfForbidden);
  const all = [...(page.Versions ?? []).toReversed(), ...(page.DeleteMarkers ?? [])];
  return all.filter((version) => version.Key === Key).map(({ VersionId }) => VersionId);
}

function throwKeptIfForbidden(error: unknown): never {
  throw isForbidden(error) ? versionKept(error) : error;
}

/** Returns undefined if the request fails as expected, and throws its other failures. */
function ignoring<T>(isExpected: (error: unknown) => boolean, request: Promise<T>): Promise<T | undefined> {
  return request.catch((error) => {
    if (!isExpected(error)) throw error;
    return undefined;
  });
}

/**
 * Returns false if the key may not list the bucket. Uploads still work, and the sweep reports the missing permission.
 */
async function canList(send: Send, { name, prefix }: Bucket): Promise<boolean> {
  const request = new ListObjectsV2Command({ Bucket: name, Prefix: prefix, MaxKeys: 1 });
  return (await ignoring(isForbidden, send(request))) !== undefined;
}

async function isThere(send: Send, { name }: Bucket): Promise<boolean> {
  try {
    await send(new HeadBucketCommand({ Bucket: name }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Stores and deletes an object and lists open uploads, once in each process, so that a missing permission is known
 * before a caller needs it.
 */
async function tryAll(send: Send, bucket: Bucket): Promise<void> {
  // All processes use one name, so that each deletes the remains of a dead one.
  const Key = `${bucket.prefix}.try`;
  await send(new PutObjectCommand({ Bucket: bucket.name, Key, ...bucket.encryption, Body: new Uint8Array(1) }));
  await deleteComplete(send, bucket, Key);
  for await (const _ of listOpenUploads(send, bucket)) break;
}

/** Returns the server's time, in whole seconds, from the header of any response. */
async function readClock({ client, name, prefix }: Bucket): Promise<Date> {
  const command = new ListObjectsV2Command({ Bucket: name, Prefix: prefix, MaxKeys: 1 });
  let date = "";
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.date ?? "";
      return result;
    },
    // Before the response is read, because an error response has a date too.
    { step: "deserialize", priority: "low" },
  );
  await client.send(command, { abortSignal: AbortSignal.timeout(askMs) }).catch((error) => {
    if (!isForbidden(error)) throw error;
  });
  const now = new Date(date);
  if (Number.isNaN(now.getTime())) throw new Error("The server's responses have no Date.");
  return now;
}
