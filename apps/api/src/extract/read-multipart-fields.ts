import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { type Limits, longestFormTailSeconds, Problem, schemaInvalid } from "@video-to-json/contract";
import { enforceMinimumUploadRate, type UploadRate } from "@video-to-json/runtime/http";
import type { ApiMetrics, Logger } from "@video-to-json/runtime/telemetry";
import type { CompiledSchema, SchemaWarning, SchemaWork } from "@video-to-json/schema";
import { type Storage, StorageUnavailable } from "@video-to-json/storage";
import busboy from "busboy";
import type { Request } from "express";
import { maxFormBytes } from "./check-before-body.ts";
import type { RequestFields, Upload } from "./extract-request.ts";
import { type DiscardUploadDeps, discardUpload } from "./read-extract-request.ts";
import { checkNames, formFields } from "./unknown-members.ts";

export type MultipartDeps = UploadRate &
  DiscardUploadDeps & {
    readonly sandbox: Pick<SchemaWork, "compile">;
    readonly storage: Pick<Storage, "put">;
    readonly limits: Pick<Limits, "maxUploadBytes" | "maxSchemaBytes" | "maxInstructionsCharacters">;
    readonly log: Pick<Logger, "error">;
    readonly metrics: UploadMetrics;
  };

const textFields = ["schema", "instructions", "video_url", "clip", "detail"] as const;
type TextField = (typeof textFields)[number];

/** The largest chunk that Node.js reads from a socket, in bytes. */
const maxChunkBytes = 64 * 1024;

/**
 * Reads a multipart body of `POST /v1/extract`, with its parts in any order. The file streams to storage under `key`.
 * The schema is compiled as soon as it has arrived, so a bad schema ends the request before the rest of the upload.
 * Text may be a field or a file part (`-F schema=@schema.json`). Parts with other names have no effect.
 *
 * @throws Problem invalid_request, schema_invalid or file_too_large. The caller deletes what is in storage then.
 * @throws StorageUnavailable if storage cannot take the file.
 */
export async function readMultipartFields(deps: MultipartDeps, request: Request, key: string): Promise<RequestFields> {
  const maxTextBytes = Math.max(deps.limits.maxSchemaBytes, 4 * deps.limits.maxInstructionsCharacters) + 1;
  const parser = createParser(request, maxTextBytes);
  const stop = new AbortController();
  const texts = new Map<TextField, string>();
  const work: Promise<unknown>[] = [];
  let compiled: Promise<CompiledSchema> | undefined;
  let stored: Promise<Upload> | undefined;
  const unknown = new Map<string, SchemaWarning>();
  let fileName: string | undefined;
  let tailTimer: NodeJS.Timeout | undefined;

  const fail = (error: unknown) => stop.abort(error);
  const track = <T>(task: Promise<T>): Promise<T> => {
    work.push(task.catch(fail));
    return task;
  };
  // The last chunk may hold the boundary and the beginning of the next part too.
  const recent = recentBytes(maxTextBytes + maxChunkBytes);
  const remember = (chunk: Buffer) => recent.add(chunk);
  request.on("data", remember);
  const takeUnknown = (given: string | undefined) => {
    // The parser gives no name for a part without one.
    const name = given ?? "";
    try {
      for (const warning of checkNames([name], formFields, "a form field")) unknown.set(name, warning);
    } catch (error) {
      fail(error);
    }
  };
  const takeText = (name: string, text: string, { truncated, isUtf8 }: TextFacts) => {
    if (!isTextField(name)) return takeUnknown(name);
    if (texts.has(name))
      return fail(new Problem("invalid_request", { reason: `The form has \`${name}\` twice. Send it once.` }));
    if (truncated) return fail(textProblem(name, "is too long; shorten it"));
    if (text.includes("\ufffd") && !isUtf8()) return fail(notUtf8(name));
    texts.set(name, text);
    if (name === "schema") compiled = track(deps.sandbox.compile(text, stop.signal));
  };

  parser.on("field", (name, text: string | undefined, info) => {
    if (name === "video") return fail(notAFile());
    // The parser returns no text for a part in an unknown charset.
    if (text === undefined) return isTextField(name) ? fail(notUtf8(name)) : takeUnknown(name);
    takeText(name, text, { truncated: info.valueTruncated, isUtf8: () => recent.contain(text) });
  });
  parser.on("file", (name, file, info) => {
    // Stopping the parser destroys the current part, whose reader gets an error. Without a listener, that error would
    // end the process.
    file.on("error", () => {});
    if (stop.signal.aborted) {
      // The parser still parses the rest of its chunk. A part that begins there never ends.
      file.resume();
    } else if (isTextField(name)) {
      void track(readText(file, maxTextBytes).then(({ text, ...facts }) => takeText(name, text, facts)));
    } else if (name !== "video") {
      file.resume();
      takeUnknown(name);
    } else if (fileName !== undefined) {
      file.resume();
      fail(new Problem("invalid_request", { reason: "The form has `video` twice. Send one file." }));
    } else {
      fileName = info.filename ?? "";
      file.once("end", () => {
        tailTimer = setTimeout(() => fail(slowTail()), longestFormTailSeconds * 1000).unref();
      });
      if (texts.get("video_url")?.trim()) return void file.resume();
      const options = { maxBytes: deps.limits.maxUploadBytes, signal: stop.signal, onCopied: recent.free };
      stored = track(measureUpload(deps.metrics, deps.storage.put(key, file, options)));
    }
  });
  for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    parser.on(event, () =>
      fail(new Problem("invalid_request", { reason: "The form has too many parts. Send only the documented fields." })),
    );
  }

  const rate = enforceMinimumUploadRate(request, deps, fail);
  const size = enforceMaxBytes(request, maxFormBytes(deps.limits), fail);
  await parse(request, parser, stop.signal)
    .catch((error) => fail(malformedForm(error)))
    .finally(() => {
      rate.stop();
      size.stop();
      request.off("data", remember);
      clearTimeout(tailTimer);
    });
  // The list may grow while it is awaited, because reading a text part starts the compilation.
  for (const task of work) await task;
  if (stop.signal.reason instanceof StorageUnavailable) {
    deps.log.error({ err: stop.signal.reason }, "storage cannot take an upload");
  }
  if (stop.signal.aborted) throw stop.signal.reason;
  const upload = await stored;
  // A browser's form sends an empty part without a name where no file was chosen.
  const isEmptyFile = fileName === "" && !upload?.bytes;
  if (isEmptyFile && upload) await discardUpload(deps, key);
  return {
    schema: await compiled,
    instructions: texts.get("instructions"),
    videoUrl: texts.get("video_url"),
    clip: texts.get("clip"),
    detail: texts.get("detail"),
    upload: isEmptyFile ? undefined : upload,
    fileName,
    hasFile: fileName !== undefined && !isEmptyFile,
    unknown: [...unknown.values()],
  };
}

/** Limits the bytes of the whole form. The limit includes ignored parts, since an endless form may have no others. */
function enforceMaxBytes(request: Request, maxBytes: number, fail: (problem: Problem) => void): { stop(): void } {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) fail(new Problem("file_too_large", { what: "form", maxBytes }));
  };
  request.on("data", count);
  return { stop: () => void request.off("data", count) };
}

function createParser(request: Request, maxTextBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: { fieldSize: maxTextBytes, fields: 50, files: 10, parts: 60, headerPairs: 100, fieldNameSize: 200 },
    });
  } catch (error) {
    throw malformedForm(error);
  }
}

/** Pipes the request into the parser. A stop leaves the request open, because the response uses the same socket. */
function parse(request: Request, parser: busboy.Busboy, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // A parser that is destroyed after an error emits a second one, so the listener stays.
    parser.once("close", resolve).on("error", reject);
    const onClose = () => {
      if (!request.complete) parser.destroy(new Error("the client closed the connection"));
    };
    // If the client left while the key was looked up, `close` was emitted before and will not be again.
    if (request.destroyed) onClose();
    else request.once("close", onClose);
    stop.addEventListener("abort", () => {
      request.unpipe(parser);
      parser.destroy(new Error("stopped"));
    });
    request.pipe(parser);
  });
}

/** What the parser says about a text part, apart from the text. */
type TextFacts = { truncated: boolean; isUtf8(): boolean };

async function readText(file: Readable, maxBytes: number): Promise<{ text: string } & TextFacts> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  const all = Buffer.concat(chunks);
  return { text: all.toString("utf8"), truncated: bytes > maxBytes, isUtf8: () => isUtf8(all) };
}

function isTextField(name: string): name is TextField {
  return (textFields as readonly string[]).includes(name);
}

/** The bytes are not UTF-8, so their meaning is unknown and the request is refused. */
function notUtf8(name: TextField): Problem {
  return textProblem(name, "is not UTF-8; send it as UTF-8");
}

function textProblem(name: TextField, fault: string): Problem {
  return name === "schema"
    ? schemaInvalid([`: the text ${fault}`])
    : new Problem("invalid_request", { reason: `\`${name}\` ${fault}.` });
}

function slowTail(): Problem {
  const seconds = longestFormTailSeconds;
  const reason = `The parts after \`video\` took longer than ${seconds} s. Send \`video\` as the last part.`;
  return new Problem("invalid_request", { reason });
}

function notAFile(): Problem {
  return new Problem("invalid_request", { reason: "`video` is a text part. Send it as a file part with a file name." });
}

function malformedForm(cause: unknown): Problem {
  const fault = cause instanceof Error ? cause.message : "not multipart";
  return new Problem(
    "invalid_request",
    { reason: `The multipart body is malformed (${fault}). Correct it, or send it again if it was cut off.` },
    { cause },
  );
}

/** The metrics of uploads. */
type UploadMetrics = Pick<ApiMetrics, "uploads" | "uploadBytes" | "uploadRate">;

/** Counts an upload when it has ended. Returns or throws what `storing` does. */
async function measureUpload(metrics: UploadMetrics, storing: Promise<Upload>): Promise<Upload> {
  const startedAt = performance.now();
  try {
    const upload = await storing;
    metrics.uploads.inc({ outcome: "stored" });
    metrics.uploadBytes.inc(upload.bytes);
    metrics.uploadRate.observe((1000 * upload.bytes) / Math.max(1, performance.now() - startedAt));
    return upload;
  } catch (error) {
    metrics.uploads.inc({ outcome: "failed" });
    throw error;
  }
}

/** The last bytes of a body that is being parsed. */
type RecentBytes = {
  add(chunk: Buffer): void;
  /**
   * Takes a part of the body that is no longer needed. A whole chunk is dropped and its memory freed at once, because
   * the garbage collector would let hundreds of chunks pile up.
   */
  free(part: Uint8Array): void;
  /** Returns whether the bytes contain a text as UTF-8. */
  contain(text: string): boolean;
};

/**
 * Remembers at least the last `bytes` bytes of a body. The parser of forms decodes a field and writes U+FFFD for bytes
 * that are not UTF-8; only the bytes say whether the caller wrote that character.
 */
export function recentBytes(bytes: number): RecentBytes {
  const chunks: Buffer[] = [];
  let total = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      total += chunk.length;
      for (let first = chunks[0]; first && total - first.length >= bytes; first = chunks[0]) {
        chunks.shift();
        total -= first.length;
      }
    },
    free({ buffer, byteLength }) {
      if (!(buffer instanceof ArrayBuffer) || byteLength !== buffer.byteLength) return;
      const index = chunks.findIndex((chunk) => chunk.buffer === buffer);
      if (index !== -1) chunks.splice(index, 1);
      if (index !== -1) total -= byteLength;
      buffer.transfer(0);
    },
    contain: (text) => Buffer.concat(chunks).includes(text),
  };
}
