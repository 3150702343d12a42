import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The output of a command that succeeded. */
export type Output = { stdout: Buffer; stderr: string };

/** Runs a command to its end. If it fails, throws an Error with what it wrote to stderr. */
export async function runCommand(
  [program = "", ...args]: readonly string[],
  { cwd = "/", env }: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<Output> {
  const options = { cwd, env, encoding: "buffer", maxBuffer: 2 ** 30 } as const;
  const running = promisify(execFile)(program, args, options);
  running.child.stdin?.end();
  const { stdout, stderr } = await running;
  return { stdout, stderr: stderr.toString() };
}
