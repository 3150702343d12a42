import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type Output = { stdout: Buffer; stderr: string };

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
