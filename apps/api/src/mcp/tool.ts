import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { RawMember } from "@video-to-json/schema";
import type { Caller } from "../caller/authenticate.ts";
import type { Progress } from "./report-progress.ts";

/** One call of a tool by an authenticated caller. */
export type ToolCall = {
  readonly caller: Caller;
  readonly arguments: ReadonlyMap<string, RawMember>;
  /** The `_meta` of the call. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly progress: Progress;
  /** The id of the HTTP request. */
  readonly requestId: string;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
  /** In the protocol of 2026-07-28, closing the stream of a call cancels the call; in earlier versions it does not. */
  readonly closingCancels: boolean;
  /** Called as soon as it is known which job answers the call, and whether it repeats the answer of an earlier call. */
  onJob(jobId: string, isReplayed?: boolean): void;
};

/** The answer of a tool: JSON text, and remarks for the caller. */
export type ToolAnswer = { readonly text: string; readonly note?: string | undefined };

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
