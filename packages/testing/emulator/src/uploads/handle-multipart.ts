import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { FileStore } from "../files/file-store.ts";
import { fileResource } from "../files/stored-file.ts";
import { invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import { parseJsonObject } from "../protocol/read-body.ts";
import { ConnectionLost, type Reply } from "../protocol/reply.ts";
import { receiveBytes, sha256Of } from "./receive-bytes.ts";
import { fileTooLarge, maxFileBytes } from "./upload-limits.ts";
import { readUploadMetadata } from "./upload-metadata.ts";

type MultipartDeps = {
  readonly files: FileStore;
  /** The directory for uploaded bytes. */
  readonly dir: string;
  onBytes(bytes: number): void;
};

/** Answers a multipart upload: one multipart/related request with a JSON part and a part with all bytes of the file. */
export async function handleMultipart(deps: MultipartDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.injectFault("chunk", { finalizes: true });
  const boundary = /^multipart\/related\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
    header(exchange.request, "content-type") ?? "",
  );
  if (!boundary) throw invalidArgument("A multipart upload needs Content-Type: multipart/related with a boundary.");
  const raw = join(deps.dir, randomBytes(24).toString("base64url"));
  try {
    await writeFile(raw, "");
    const stopAfter = fault?.kind === "drop" ? fault.afterBytes : undefined;
    const { bytes, whole } = await receiveBytes(exchange.request, raw, 0, stopAfter);
    deps.onBytes(bytes);
    if (!whole) throw new ConnectionLost();
    const body = await readParts(raw, bytes, boundary[1] ?? boundary[2] ?? "");
    const metadata = readUploadMetadata(parseJsonObject(body.json));
    const mimeType = metadata.mimeType ?? body.mimeType;
    const size = body.end - body.start;
    if (size > maxFileBytes) throw invalidArgument(fileTooLarge);
    deps.files.checkName(metadata.name);
    const path = `${raw}-file`;
    await writeFile(path, "");
    if (size > 0)
      await pipeline(createReadStream(raw, { start: body.start, end: body.end - 1 }), createWriteStream(path));
    const file = deps.files.add({ owner, path, size, sha256: await sha256Of(path), ...metadata, mimeType });
    if (fault?.kind === "cut-final-reply") throw new ConnectionLost();
    return { status: 200, json: { file: fileResource(file, exchange.origin) } };
  } finally {
    await rm(raw, { force: true });
  }
}

const maxHeadBytes = 256 * 1024;

/** Returns the JSON part, the MIME type of the second part, and the positions where its bytes start and end. */
async function readParts(path: string, bytes: number, boundary: string) {
  const file = await open(path, "r");
  try {
    const read = async (from: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
      return buffer.subarray(0, bytesRead).toString("latin1");
    };
    const head = await read(0, Math.min(bytes, maxHeadBytes));
    const delimiter = `--${boundary}\r\n`;
    const second = head.indexOf(`\r\n${delimiter}`);
    const jsonStart = head.indexOf("\r\n\r\n");
    const bytesStart = head.indexOf("\r\n\r\n", second + 2);
    if (!head.startsWith(delimiter) || jsonStart < 0 || second < jsonStart || bytesStart < 0) throw malformedBody();
    const tailLength = Math.min(bytes, boundary.length + 16);
    const end = (await read(bytes - tailLength, tailLength)).lastIndexOf(`\r\n--${boundary}--`);
    const start = bytesStart + 4;
    if (end < 0 || bytes - tailLength + end < start) throw malformedBody();
    const json = Buffer.from(head.slice(jsonStart + 4, second), "latin1").toString("utf8");
    const mimeType = /^content-type:\s*(\S+)/im.exec(head.slice(second, bytesStart))?.[1];
    return { json, mimeType: mimeType ?? "application/octet-stream", start, end: bytes - tailLength + end };
  } finally {
    await file.close();
  }
}

function malformedBody() {
  return invalidArgument("Malformed multipart body.");
}
