import { open, rm } from "node:fs/promises";
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  ListPartsCommand,
  type ListPartsCommandOutput,
  S3Client,
  type ServerSideEncryption,
} from "@aws-sdk/client-s3";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { Problem, type S3Address } from "@video-to-json/contract";
import { retry } from "@video-to-json/runtime/timing";
import { isKey, ObjectMissing, type StoredObject } from "../storage.ts";
import { isAbsent, isForbidden, isTransient, isUnsupported } from "./s3-fault.ts";

/** A bucket, and the naming of its objects. */
export type Bucket = {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
  /** The headers of a new object that ask for its encryption. */
  readonly encryption: { ServerSideEncryption?: ServerSideEncryption; SSEKMSKeyId?: string };
  /** Whether a deletion has shown that the bucket keeps versions. The first one is a trial at the start. */
  keepsVersions: boolean;
};

const connectMs = 3000;
/** A server that transfers no byte for this time counts as hung. */
const defaultSilentMs = 4000;
/** A server may send nothing while it joins the parts of a large object. */
const joiningMs = 120_000;
const attempts = 3;

/** Opens a bucket. The AWS SDK finds the credentials, and the region if the address does not name it. */
export async function openBucket(
  { bucket, prefix, endpoint, region, pathStyle, encryption }: S3Address,
  { silentMs = defaultSilentMs }: { silentMs?: number | undefined },
): Promise<Bucket> {
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(await regionOf({ endpoint, region })),
    forcePathStyle: pathStyle,
    // Servers other than Amazon's refuse newer checksums, and some never answer `Expect: 100-continue`.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    expectContinueHeader: false,
    maxAttempts: attempts,
    requestHandler: createHandler(silentMs),
  });
  const headers = encryption && {
    ServerSideEncryption: encryption.algorithm,
    ...(encryption.keyId && { SSEKMSKeyId: encryption.keyId }),
  };
  return { client, name: bucket, prefix, encryption: headers ?? {}, keepsVersions: false };
}

/** Most servers at a custom address ignore the region, but a signature needs one. */
async function regionOf({ endpoint, region }: Pick<S3Address, "endpoint" | "region">): Promise<{ region?: string }> {
  if (region !== undefined) return { region };
  if (endpoint === undefined) return {};
  const client = new S3Client({ endpoint });
  return { region: await client.config.region().catch(() => "us-east-1") };
}

type Handle = NodeHttpHandler["handle"];

/** Returns an HTTP handler with a time limit for every request. */
function createHandler(silentMs: number): NodeHttpHandler {
  const limits = { connectionTimeout: connectMs, throwOnRequestTimeout: true };
  // A server is silent while it joins parts, and so is an old connection that a firewall has forgotten.
  const fresh = { keepAlive: false };
  const patient = new NodeHttpHandler({ ...limits, socketTimeout: joiningMs, httpAgent: fresh, httpsAgent: fresh });
  const handler = new NodeHttpHandler({
    ...limits,
    socketTimeout: silentMs,
    httpAgent: { maxSockets: 200 },
    httpsAgent: { maxSockets: 200 },
  });
  const handle = handler.handle.bind(handler);
  handler.handle = ((request, options) => {
    const joins = request.method === "POST" && request.query?.uploadId !== undefined;
    return joins ? patient.handle(request, options) : handle(request, options);
  }) as Handle;
  return handler;
}

/** An upload in parts that was neither completed nor aborted. */
export type OpenUpload = { readonly key: string; readonly uploadId: string; readonly startedAt: Date };

/** Sends a request with its own deadline. */
export type Send = S3Client["send"];

/** Yields all our objects. */
export async function* listObjects(send: Send, { name, prefix }: Bucket): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  do {
    const page = await send(
      // Without the delimiter, an empty prefix would also read the folders of other users.
      new ListObjectsV2Command({ Bucket: name, Prefix: prefix, Delimiter: "/", ContinuationToken: token }),
    );
    for (const { Key = "", Size = 0, LastModified } of page.Contents ?? []) {
      const key = keyOf(Key, prefix);
      if (key !== undefined && LastModified) yield { key, bytes: Size, modifiedAt: LastModified, complete: true };
    }
    const next = page.IsTruncated ? page.NextContinuationToken : undefined;
    token = next === token ? undefined : next;
  } while (token !== undefined);
}

/** Yields all our uploads in parts that were neither completed nor aborted, or those of one key. */
export async function* listOpenUploads(send: Send, { name, prefix }: Bucket, only = ""): AsyncGenerator<OpenUpload> {
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const page: ListMultipartUploadsCommandOutput | undefined = await send(
      new ListMultipartUploadsCommand({ Bucket: name, Prefix: `${prefix}${only}`, ...markers }),
    ).catch((error) => {
      // The bucket's lifecycle rule handles uploads that the server cannot list, or not for us.
      if (isUnsupported(error) || isForbidden(error)) return undefined;
      throw error;
    });
    for (const { Key = "", UploadId, Initiated } of page?.Uploads ?? []) {
      const key = keyOf(Key, prefix);
      const startedAt = Initiated ?? new Date(0);
      if (key !== undefined && UploadId !== undefined && key.startsWith(only))
        yield { key, uploadId: UploadId, startedAt };
    }
    const next = { KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker };
    // A server that ignores the markers would return the same page for ever.
    const isSame = next.KeyMarker === markers.KeyMarker && next.UploadIdMarker === markers.UploadIdMarker;
    if (!page?.IsTruncated || !next.KeyMarker || isSame) return;
    markers = next;
  }
}

/** Returns an upload in parts with its size and the time of its last part. Returns undefined if it is gone. */
export async function describeUpload(
  send: Send,
  { name, prefix }: Bucket,
  { key, uploadId, startedAt }: OpenUpload,
): Promise<StoredObject | undefined> {
  let bytes = 0;
  let modifiedAt = startedAt;
  let marker: string | undefined;
  do {
    const request = new ListPartsCommand({
      Bucket: name,
      Key: `${prefix}${key}`,
      UploadId: uploadId,
      PartNumberMarker: marker,
    });
    const page: ListPartsCommandOutput | undefined = await send(request).catch((error) => {
      if (isAbsent(error)) return undefined;
      if (isUnsupported(error) || isForbidden(error)) return { $metadata: {} };
      throw error;
    });
    if (!page) return undefined;
    for (const { Size = 0, LastModified = startedAt } of page.Parts ?? []) {
      bytes += Size;
      if (LastModified > modifiedAt) modifiedAt = LastModified;
    }
    const next = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    marker = next === marker ? undefined : next;
  } while (marker !== undefined);
  return { key, bytes, modifiedAt, complete: false };
}

/** The bucket may contain objects of other users, with other names. */
function keyOf(name: string, prefix: string): string | undefined {
  const key = name.slice(prefix.length);
  return name.startsWith(prefix) && isKey(key) ? key : undefined;
}

/** How long to retry reading an object while the server fails, in milliseconds. */
const patienceMs = 30_000;

/**
 * Copies an object to the file `path`, in constant memory. A copy that breaks off continues where it stopped. A failure
 * leaves no file.
 *
 * @throws `ObjectMissing`, Problem `file_too_large`, the signal's reason, or the error of the disk or of the server.
 */
export async function obtainObject(
  { client, name, prefix }: Bucket,
  key: string,
  path: string,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal | undefined },
): Promise<void> {
  const file = await open(path, "w", 0o600);
  let bytes = 0;
  let version: string | undefined;
  const copyTheRest = async () => {
    const rest = bytes > 0 ? { Range: `bytes=${bytes}-`, IfMatch: version } : {};
    const object = await client.send(
      new GetObjectCommand({ Bucket: name, Key: `${prefix}${key}`, ...rest }),
      signal ? { abortSignal: signal } : {},
    );
    version = object.ETag;
    // A server that does not know ranges sends everything again.
    if (bytes > 0 && object.ContentRange === undefined) bytes = 0;
    if (bytes + (object.ContentLength ?? 0) > maxBytes) throw tooLarge(maxBytes);
    for await (const chunk of object.Body as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      if (bytes + chunk.byteLength > maxBytes) throw tooLarge(maxBytes);
      for (let at = 0; at < chunk.byteLength; ) {
        const { bytesWritten } = await file.write(chunk, at, chunk.byteLength - at, bytes);
        at += bytesWritten;
        bytes += bytesWritten;
      }
    }
    await file.truncate(bytes);
  };
  try {
    const policy = { minDelayMs: 200, maxDelayMs: 5000, maxElapsedMs: patienceMs, signal };
    await retry(copyTheRest, { ...policy, isTransient: (error) => !(error instanceof Problem) && isTransient(error) });
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    signal?.throwIfAborted();
    throw isAbsent(error) ? new ObjectMissing(key, { cause: error }) : error;
  }
  await file.close();
}

function tooLarge(maxBytes: number): Problem {
  return new Problem("file_too_large", { what: "upload", maxBytes });
}
