import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { retry } from "@video-to-json/runtime/timing";
import type { Bucket } from "./open-bucket.ts";
import { isOverloaded } from "./s3-fault.ts";

/** The server refused a request of a put, or did not answer. The cause is the SDK's error. */
export class PutRefused extends Error {
  constructor(options: ErrorOptions) {
    super("storage did not take the object", options);
    this.name = "PutRefused";
  }
}

/**
 * Sends one object. Every method throws `PutRefused`, or the reason of the signal. The SHA-256 of the sent bytes is in
 * hexadecimal.
 */
export type PartUpload = {
  whole(body: Uint8Array, sha256: string): Promise<void>;
  /** Sends the next part. */
  part(body: Uint8Array, sha256: string): Promise<void>;
  /** Joins the parts. The object appears. */
  complete(): Promise<void>;
  /** Deletes the parts that were sent. No other call may be running. Never throws: a sweep deletes the rest. */
  abort(): Promise<void>;
};

/** Short, because the caller of a failed upload waits for this. */
const abortMs = 5000;

/** Creates the upload of one object. It sends nothing before its first part, and no part after `signal` has aborted. */
export function createPartUpload({ client, name, prefix }: Bucket, key: string, signal: AbortSignal): PartUpload {
  const orRefused = (work: () => Promise<void>) => putOrRefused(work, signal);
  const object = { Bucket: name, Key: `${prefix}${key}` };
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  return {
    whole: (body, sha256) =>
      orRefused(async () => {
        const request = new PutObjectCommand({ ...object, Body: body });
        request.middlewareStack.add(sign(sha256), { step: "build" });
        await client.send(request);
      }),
    part: (body, sha256) =>
      orRefused(async () => {
        uploadId ??= (await client.send(new CreateMultipartUploadCommand(object))).UploadId;
        const PartNumber = parts.length + 1;
        const request = new UploadPartCommand({ ...object, UploadId: uploadId, PartNumber, Body: body });
        request.middlewareStack.add(sign(sha256), { step: "build" });
        const { ETag } = await client.send(request);
        parts.push({ PartNumber, ETag });
      }),
    async abort() {
      if (uploadId === undefined) return;
      const request = new AbortMultipartUploadCommand({ ...object, UploadId: uploadId });
      await client.send(request, { abortSignal: AbortSignal.timeout(abortMs) }).catch(() => undefined);
    },
    complete: () =>
      orRefused(async () => {
        const MultipartUpload = { Parts: parts };
        await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId: uploadId, MultipartUpload }));
      }),
  };
}

/** The SDK repeats a request within a second. A server that asks for a pause needs longer. */
const pauses = { minDelayMs: 500, maxDelayMs: 4000, jitter: 0.5, maxElapsedMs: 12_000, isTransient: isOverloaded };

async function putOrRefused(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await retry(work, { ...pauses, signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new PutRefused({ cause });
  }
}

type Build<In extends object, Out extends object> = (args: {
  input: In;
  request: unknown;
}) => Promise<{ response: unknown; output: Out }>;

/** Returns a step that signs the known hash of the body. Otherwise the SDK hashes it again, on the event loop. */
function sign(sha256: string) {
  return <In extends object, Out extends object>(next: Build<In, Out>): Build<In, Out> =>
    (args) => {
      (args.request as { headers: Record<string, string> }).headers["x-amz-content-sha256"] = sha256;
      return next(args);
    };
}
