import { spawn } from "node:child_process";

type Options = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Standard input; none by default. */
  input?: Buffer;
};

/** The output of a command that succeeded. */
export type Output = { stdout: Buffer; stderr: string };

/** Runs a command to its end. If it fails, throws an Error with the end of its output. */
export function runCommand([program = "", ...args]: readonly string[], { cwd, env, input }: Options): Promise<Output> {
  return new Promise((resolve, reject) => {
    const started = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    started.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    started.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    started.stdin.on("error", () => {}).end(input);
    started.once("error", reject);
    started.once("close", (code, signal) => {
      const output = { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
      if (code === 0) return resolve(output);
      const text = `${output.stdout.toString("latin1").slice(-2000)}\n${output.stderr.slice(-4000)}`;
      reject(new Error(`\`${[program, ...args].join(" ").slice(0, 300)}\` ended with ${code ?? signal}:\n${text}`));
    });
  });
}
