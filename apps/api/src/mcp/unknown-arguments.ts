import type { ToolCall } from "./tool.ts";

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

/** Joins notes, one per line. Returns undefined without notes. */
export function joinNotes(...notes: readonly (string | undefined)[]): string | undefined {
  return notes.filter((note) => note !== undefined).join("\n") || undefined;
}
