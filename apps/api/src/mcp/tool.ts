import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { JobProgress } from "@video-to-json/contract";
import type { RawMember } from "@video-to-json/schema";
import type { Caller, RequestOrigin } from "../http/context.ts";

/** One call of a tool by an authenticated caller. */
export type ToolCall = {
  readonly caller: Caller;
  readonly arguments: ReadonlyMap<string, RawMember>;
  /** The `_meta` of the call. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly progress: Progress;
  /** Which HTTP request it came with. */
  readonly origin: RequestOrigin;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** In the protocol of 2026-07-28, closing the stream of a call cancels the call; in earlier versions it does not. */
  readonly closingCancels: boolean;
  /** Called as soon as it is known which job answers the call, and whether it repeats the answer of an earlier call. */
  onJob(jobId: string, isReplayed?: boolean): void;
};

/** The answer of a tool: JSON text, remarks for the caller, and members of its `_meta`. */
export type ToolAnswer = {
  readonly text: string;
  readonly note?: string | undefined;
  readonly meta?: Readonly<Record<string, unknown>>;
};

/** A tool: its description for clients, and its function, which throws a Problem to fail. */
export type Tool = { readonly definition: Definition; run(call: ToolCall): Promise<ToolAnswer> };

/**
 * Returns a shape of the contract as the MCP library types it. A schema that allows any JSON value gets the list of
 * JSON types: clients that generate types or forms cannot handle an empty schema.
 */
export function schemaOf(shape: object): Definition["inputSchema"] {
  return JSON.parse(JSON.stringify(shape), (_name, value) =>
    allowsAnything(value) ? { ...value, anyOf: jsonTypes } : value,
  );
}

const jsonTypes = ["object", "array", "string", "number", "boolean", "null"].map((type) => ({ type }));

function allowsAnything(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const members = Object.entries(value);
  return members.length === 1 && members.every(([name, text]) => name === "description" && typeof text === "string");
}

type Arguments = Pick<ToolCall, "arguments">;

const maxNamed = 5;
const maxNameCharacters = 60;

/** Returns a line for each argument of a call that its tool does not have, five at most. */
export function unknownArguments({ arguments: given }: Arguments, known: readonly string[]): string[] {
  const guessed = [...given.keys()].filter((name) => !known.includes(name));
  return guessed
    .slice(0, maxNamed)
    .map((name) => `/${name.slice(0, maxNameCharacters)}: is not an argument; the arguments are ${known.join(", ")}`);
}

/** Returns a text that tells a model which of its arguments had no effect; undefined without such arguments. */
export function ignoredArguments(call: Arguments, known: readonly string[]): string | undefined {
  const unknown = unknownArguments(call, known);
  return unknown.length === 0 ? undefined : ["These arguments were ignored:", ...unknown].join("\n");
}

/** Reports the progress of a long call to its caller. */
export type Progress = {
  /** Puts the id of the job into every message from now on. */
  nameJob(jobId: string): void;
  /** Reports a new stage at once. */
  report(stage: JobProgress | "queued"): void;
  stop(): void;
};

const intervalMs = 4000;

/**
 * Sends a notification now, at every stage, and every four seconds until `stop`, so that no client takes the call for
 * dead. `progress` is the number of seconds so far, and each value is larger than the one before.
 */
export function reportProgress(send: (update: { progress: number; message: string }) => Promise<unknown>): Progress {
  const startedAt = performance.now();
  let last = 0;
  let job = "";
  let stage = "receiving";
  const notify = () => {
    const seconds = (performance.now() - startedAt) / 1000;
    last = Math.round(1000 * Math.max(seconds, last + 0.001)) / 1000;
    // Sending fails when the caller has gone. The job continues.
    void send({ progress: last, message: `${job}${stage}, ${Math.floor(seconds)} s` }).catch(() => {});
  };
  const timer = setInterval(notify, intervalMs);
  notify();
  return {
    nameJob(jobId) {
      job = `job ${jobId}, `;
    },
    report(next) {
      stage = next === "queued" ? next : textOf(next);
      notify();
    },
    stop: () => clearInterval(timer),
  };
}

/** For callers that sent no progress token. */
export const noProgress: Progress = { nameJob() {}, report() {}, stop() {} };

function textOf({ stage, attempt }: JobProgress): string {
  return attempt === undefined || attempt === 1 ? stage : `${stage}, attempt ${attempt}`;
}
