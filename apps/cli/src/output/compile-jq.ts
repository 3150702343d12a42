import { CommandError } from "../exit/command-error.ts";

/** Runs a jq program on a JSON text. Returns its results, one line each or indented. */
export type JqProgram = (json: string, options: { indent: boolean }) => { text: string; messages: string };

const compileError = 3;

/**
 * Compiles a jq program. Strings of its results have no quotes; numbers that it does not change keep their literals.
 * Throws wrong_usage for a program with a fault. The compiled program throws jq_failed if it fails on its input.
 */
export async function compileJq(program: string): Promise<JqProgram> {
  const { loadJq } = await import("jq-wasm/inline");
  const jq = await loadJq();
  const run = (json: string, flags: readonly string[]) => jq.raw(json, program, [...flags, "--raw-output", "--"]);
  // Without input, jq compiles the program and does not run it.
  const { exitCode, stderr } = run("", []);
  if (exitCode === compileError) {
    throw new CommandError("wrong_usage", `The jq program has a fault: ${reasonOf(stderr)}`);
  }
  return (json, { indent }) => {
    const { stdout, stderr: messages, exitCode: code } = run(json, indent ? [] : ["--compact-output"]);
    if (code !== 0) throw new CommandError("jq_failed", `The jq program failed: ${reasonOf(messages)}`);
    return { text: stdout, messages };
  };
}

/** Leaves out jq's remarks about itself. */
function reasonOf(message: string): string {
  return message
    .replace(/^jq: error(?: \(at [^)]*\))?: /, "")
    .replace(/\njq: \d+ compile errors?\s*$/, "")
    .trim();
}
