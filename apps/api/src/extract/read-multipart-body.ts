import type { Readable } from "node:stream";
import { type Limits, Problem } from "@video-to-json/contract";
import type { CompiledSchema, SchemaWork } from "@video-to-json/schema-input";
import { type Storage, StorageUnavailable } from "@video-to-json/storage";
import type { Logger } from "@video-to-json/telemetry";
import busboy from "busboy";
import type { Request } from "express";
import { guardPace, type Pace } from "../http/guard-pace.ts";
import type { Received } from "./extract-request.ts";

type Deps = Pace & {
  readonly sandbox: Pick<SchemaWork, "compile">;
  readonly storage: Pick<Storage, "put">;
  readonly limits: Pick<Limits, "maxUploadBytes" | "maxSchemaBytes" | "maxInstructionsCharacters">;
  readonly log: Pick<Logger, "error">;
};

const textFields = ["schema", "instructions", "video_url"] as const;
type TextField = (typeof textFields)[number];

// A complete upload that stands still in storage is an orphan's after ORPHAN_UPLOAD_SECONDS.
const longestRestMs = 300_000;

/**
 * Reads a multipart body of `POST /v1/extract`: the file streams to storage under `key` while it comes in, in whatever
 * order the parts come. The schema is compiled as soon as it is there, so that a bad one ends the request before the
 * rest of the upload. Text may come as a field or as a file part (`-F schema=@schema.json`); parts of other names are
 * ignored. Throws invalid_request, schema_invalid, file_too_large, or provider_unavailable where storage takes nothing; the
 * caller deletes what storage holds.
 */
export async function readMultipartBody(deps: Deps, request: Request, key: string): Promise<Received> {
  const mostText = Math.max(deps.limits.maxSchemaBytes, 4 * deps.limits.maxInstructionsCharacters) + 1;
  const parser = openParser(request, mostText);
  const stop = new AbortController();
  const texts = new Map<TextField, string>();
  const work: Promise<unknown>[] = [];
  let compiled: Promise<CompiledSchema> | undefined;
  let stored: Promise<{ bytes: number; sha256: string }> | undefined;
  let fileName: string | undefined;

  let rest: NodeJS.Timeout | undefined;

  const fail = (error: unknown) => stop.abort(error);
  const follow = <T>(task: Promise<T>): Promise<T> => {
    work.push(task.catch(fail));
    return task;
  };
  const takeText = (name: string, text: string, truncated: boolean) => {
    if (!isTextField(name)) return;
    if (texts.has(name))
      return fail(new Problem("invalid_request", { reason: `The form has \`${name}\` twice. Send it once.` }));
    if (truncated) return fail(tooLong(name));
    if (text.includes("\ufffd")) return fail(notUtf8(name));
    texts.set(name, text);
    if (name === "schema") compiled = follow(deps.sandbox.compile(text, stop.signal));
  };

  parser.on("field", (name, text, info) => {
    if (name === "video") return fail(notAFile());
    takeText(name, text, info.valueTruncated);
  });
  parser.on("file", (name, file, info) => {
    // Stopping the parser destroys the part under way; whoever reads it hears of that, and nobody else must.
    file.on("error", () => {});
    if (stop.signal.aborted) {
      // The parser goes on to the end of its chunk, and a part that begins there never ends.
      file.resume();
    } else if (isTextField(name)) {
      void follow(readText(file, mostText).then(({ text, truncated }) => takeText(name, text, truncated)));
    } else if (name !== "video") {
      file.resume();
    } else if (fileName !== undefined) {
      file.resume();
      fail(new Problem("invalid_request", { reason: "The form has `video` twice. Send one file." }));
    } else {
      fileName = info.filename ?? "";
      file.once("end", () => {
        rest = setTimeout(() => fail(slowRest()), longestRestMs).unref();
      });
      if (texts.get("video_url")?.trim()) file.resume();
      else stored = follow(deps.storage.put(key, file, { maxBytes: deps.limits.maxUploadBytes, signal: stop.signal }));
    }
  });
  for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const) {
    parser.on(event, () =>
      fail(new Problem("invalid_request", { reason: "The form has too many parts. Send only the documented fields." })),
    );
  }

  const pace = guardPace(request, deps, fail);
  const room = guardRoom(request, mostFormBytes(deps.limits), fail);
  await parse(request, parser, stop.signal)
    .catch((error) => fail(malformedForm(error)))
    .finally(() => {
      pace.stop();
      room.stop();
      clearTimeout(rest);
    });
  // Reading a text part starts the compilation: the list may grow while it is awaited.
  for (const task of work) await task;
  if (stop.signal.reason instanceof StorageUnavailable) {
    deps.log.error({ err: stop.signal.reason }, "storage takes no upload");
  }
  if (stop.signal.aborted) throw stop.signal.reason;
  const upload = await stored;
  // A browser's form sends an empty part without a name where no file was chosen.
  const nothingChosen = fileName === "" && !upload?.bytes;
  return {
    schema: await compiled,
    instructions: texts.get("instructions"),
    videoUrl: texts.get("video_url"),
    upload: nothingChosen ? undefined : upload,
    hasFile: fileName !== undefined && !nothingChosen,
  };
}

/** Parts that are passed over count as well: a form without end may have nothing but these. */
function guardRoom(request: Request, most: number, fail: (problem: Problem) => void): { stop(): void } {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) fail(new Problem("file_too_large", { what: "form", maxBytes: most }));
  };
  request.on("data", count);
  return { stop: () => void request.off("data", count) };
}

/** A video and all that may be said about it, with room for the heads of the parts and for parts of other names. */
function mostFormBytes({ maxUploadBytes, maxSchemaBytes, maxInstructionsCharacters }: Deps["limits"]): number {
  return maxUploadBytes + 2 * maxSchemaBytes + 8 * maxInstructionsCharacters + 64 * 1024;
}

function openParser(request: Request, mostText: number): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: { fieldSize: mostText, fields: 50, files: 10, parts: 60, headerPairs: 100, fieldNameSize: 200 },
    });
  } catch (error) {
    throw malformedForm(error);
  }
}

/** Feeds the request to the parser. On a stop the request is let go unharmed: the answer still travels on its socket. */
function parse(request: Request, parser: busboy.Busboy, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // Stopping after an error makes the parser tell of another one: the listener must outlive the first.
    parser.once("close", resolve).on("error", reject);
    const leave = () => {
      if (!request.complete) parser.destroy(new Error("the caller went away"));
    };
    // One who left while the key was looked up is told of by no event any more.
    if (request.destroyed) leave();
    else request.once("close", leave);
    stop.addEventListener("abort", () => {
      request.unpipe(parser);
      parser.destroy(new Error("stopped"));
    });
    request.pipe(parser);
  });
}

async function readText(file: Readable, mostBytes: number): Promise<{ text: string; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString("utf8"), truncated: bytes > mostBytes };
}

function isTextField(name: string): name is TextField {
  return (textFields as readonly string[]).includes(name);
}

function tooLong(name: TextField): Problem {
  return textProblem(name, "is too long", "Shorten it.");
}

/** The parser puts U+FFFD where bytes are no characters; what was meant there cannot be known, so nothing may be paid. */
function notUtf8(name: TextField): Problem {
  return textProblem(name, "is not UTF-8, or contains U+FFFD", "Send UTF-8, and write U+FFFD as \\ufffd.");
}

function textProblem(name: TextField, fault: string, cure: string): Problem {
  return name === "schema"
    ? new Problem("schema_invalid", {}, { details: [`: ${fault}. ${cure}`] })
    : new Problem("invalid_request", { reason: `\`${name}\` ${fault}. ${cure}` });
}

function slowRest(): Problem {
  const seconds = longestRestMs / 1000;
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
    { reason: `The multipart body is malformed (${fault}). Send it again.` },
    { cause },
  );
}
