import { open, rm } from "node:fs/promises";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { Problem } from "@video-to-json/contract";
import { retry } from "@video-to-json/runtime/timing";
import { ObjectMissing } from "../storage-errors.ts";
import type { Bucket } from "./open-bucket.ts";
import { isAbsent, isTransient } from "./s3-fault.ts";

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
