import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { RawMember } from "@video-to-json/schema-input";
import type { Caller } from "../caller/authenticate.ts";
import type { Progress } from "./report-progress.ts";

/** One call of a tool by an authenticated caller. */
export type ToolCall = {
  caller: Caller;
  arguments: ReadonlyMap<string, RawMember>;
  progress: Progress;
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** The protocol of 2026-07-28, in which closing the stream of a call cancels it; in the earlier ones it does not. */
  closingCancels: boolean;
  /** Says which job the call is about, as soon as there is one. */
  onJob(jobId: string): void;
};

/** A tool: what is told of it, and what it does. `run` gives a JSON text; it throws a Problem to fail. */
export type Tool = { readonly definition: Definition; run(call: ToolCall): Promise<string> };

/**
 * A shape of the contract as the protocol library types it. Where any JSON value may stand, the kinds of value are named:
 * clients that turn a schema into types or forms stumble over one that says nothing.
 */
export function schemaOf(shape: object): Definition["inputSchema"] {
  return JSON.parse(JSON.stringify(shape), (_name, value) => (isAnything(value) ? { ...value, anyOf: kinds } : value));
}

const kinds = ["object", "array", "string", "number", "boolean", "null"].map((type) => ({ type }));

function isAnything(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const members = Object.entries(value);
  return members.length === 1 && members.every(([name, says]) => name === "description" && typeof says === "string");
}
