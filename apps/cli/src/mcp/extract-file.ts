import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { type RawMember, readMembers } from "@video-to-json/schema";
import { type Clip, type Detail, type Progress, type VideoToJson, VideoToJsonError } from "video-to-json";
import { CommandError } from "../exit/command-error.ts";
import { loggedLine } from "../progress/stage-line.ts";
import type { Message } from "./serve-mcp.ts";

type Deps = {
  readonly client: VideoToJson;
  /** The real paths of the folders that the user allowed. */
  readonly folders: readonly string[];
  readonly write: (text: string) => void;
};

const known = ["video_path", "schema", "instructions", "clip", "detail", "accept_warnings"];
/** How often a call reports progress. A host gives up a call that reports none. */
const progressEveryMs = 4000;

/** Runs a call of `extract` with a file of this computer, and writes what the tool of `/v1/mcp` writes. */
export async function extractFile(
  { client, folders, write }: Deps,
  { line, message: { id, params } }: { line: string; message: Message },
  signal: AbortSignal,
): Promise<void> {
  const meta = params?._meta ?? {};
  const progress = reportProgress(write, meta.progressToken);
  const resultType = "io.modelcontextprotocol/protocolVersion" in meta ? '"resultType":"complete",' : "";
  const result = (members: string) =>
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${resultType}${members}}}`);
  try {
    const given = argumentsOf(line);
    const path = await allowedPath(folders, textOf(given, "video_path") ?? "");
    const { size, mtimeMs } = await stat(path);
    const schema = given.get("schema");
    const clip = given.get("clip")?.value as Clip | undefined;
    const request = {
      schema: typeof schema?.value === "string" ? schema.value : (schema?.raw ?? ""),
      instructions: textOf(given, "instructions"),
      clip,
      detail: textOf(given, "detail") as Detail | undefined,
      acceptWarnings: given.get("accept_warnings")?.value === true,
      evidence: meta["video-to-json/evidence"] === "fields",
    };
    // A host that gave up calls again. The same file with the same arguments joins the job or gets its answer.
    const same = JSON.stringify([path, size, mtimeMs, request]);
    const answer = await client.extract({
      ...request,
      video: path,
      idempotencyKey: `mcp ${createHash("sha256").update(same).digest("hex")}`,
      signal,
      onProgress: (step) => progress.show(step, basename(path)),
    });
    const job = { ...(answer.replayed && { "video-to-json/replayed": true }), "video-to-json/job": { id: answer.id } };
    const content = [{ type: "text", text: answer.json }];
    result(`"content":${JSON.stringify(content)},"structuredContent":${answer.json},"_meta":${JSON.stringify(job)}`);
  } catch (error) {
    if (signal.aborted) return;
    const { code, message, details, retryable, jobId } = failureOf(error);
    const named = jobId === undefined || message.includes(jobId) ? message : `${message} The job is ${jobId}.`;
    const text = JSON.stringify({ error: { code, message: named, details } });
    const about = { "video-to-json/error": { code, retryable }, ...(jobId && { "video-to-json/job": { id: jobId } }) };
    result(`"isError":true,"content":${JSON.stringify([{ type: "text", text }])},"_meta":${JSON.stringify(about)}`);
  } finally {
    progress.stop();
  }
}

/** Returns the arguments as they are written. Throws invalid_request for one that the tool does not have. */
function argumentsOf(line: string): Map<string, RawMember> {
  const inside = (text: string | undefined, name: string) => readMembers(text ?? "{}").get(name)?.raw;
  const given = readMembers(inside(inside(line, "params"), "arguments") ?? "{}");
  // A misspelt `clip` would bill the whole video.
  const unknown = [...given.keys()].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw invalid(`${unknown.join(", ")}: not an argument beside video_path; the arguments are ${known.join(", ")}.`);
  }
  return given;
}

function textOf(given: ReadonlyMap<string, RawMember>, name: string): string | undefined {
  const value = given.get(name)?.value;
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`${name} is not a text. Send a text.`);
}

/** Returns the real path of a file below an allowed folder. A path elsewhere and a missing file get the same words. */
async function allowedPath(folders: readonly string[], given: string): Promise<string> {
  const path = await realpath(resolve(folders[0] ?? "", given)).catch(() => undefined);
  const isBelow =
    path !== undefined && folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  if (isBelow && (await stat(path)).isFile()) return path;
  throw invalid(`${given} is not a file below ${folders.join(" or ")}. Only the user can allow another folder.`);
}

function invalid(message: string): CommandError {
  return new CommandError("invalid_request", message);
}

type Failure = {
  code: string;
  message: string;
  details?: readonly string[] | undefined;
  retryable: boolean;
  jobId?: string | undefined;
};

function failureOf(error: unknown): Failure {
  if (error instanceof VideoToJsonError) return error;
  if (error instanceof CommandError) return { code: error.code, message: error.message, retryable: false };
  const { name, message } = error as Error;
  // Without an answer, the same call again finds the job.
  const retryable = name === "VideoToJsonConnectionError";
  return { code: retryable ? "provider_unavailable" : "invalid_request", message, retryable };
}

function reportProgress(write: (text: string) => void, progressToken: unknown) {
  const startedAt = performance.now();
  let [last, message] = [0, "Starting."];
  const notify = () => {
    if (progressToken === undefined) return;
    last = Math.max((performance.now() - startedAt) / 1000, last + 0.001);
    const params = { progressToken, progress: last, message };
    write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  };
  const timer = setInterval(notify, progressEveryMs);
  return {
    show(step: Progress, name: string) {
      const share = step.stage === "uploading" ? ` ${Math.floor((100 * step.sentBytes) / step.totalBytes)} %` : "";
      const next = loggedLine(step, name) + share;
      if (next === message) return;
      message = next;
      notify();
    },
    stop: () => clearInterval(timer),
  };
}
