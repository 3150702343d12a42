import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { isKey } from "../object-key.ts";
import type { StoredObject } from "../storage.ts";
import type { Bucket } from "./open-bucket.ts";
import { isAbsent, isForbidden, isUnsupported } from "./s3-fault.ts";

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
