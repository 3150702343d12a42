import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mainOf } from "@video-to-json/testing";
import { collectOutput, type Output } from "./collect-output.ts";

export type FinishedRun = { code: number | null; stdout: string; stderr: string };

export type RunningCli = Pick<Output, "until"> & { child: ChildProcessWithoutNullStreams; ended: Promise<FinishedRun> };

export type Env = Readonly<Record<string, string>>;

export function runCli(words: readonly string[], env: Env): Promise<FinishedRun> {
  const running = startCli(words, env);
  running.child.stdin.end();
  return running.ended;
}

export function startCli(words: readonly string[], env: Env): RunningCli {
  return follow(spawn(process.execPath, [mainOf("cli"), ...words], { env: { ...env } }));
}

/** Starts `video-to-json` on a new terminal. Its screen is `stdout`, with ␛ as escape; `child.stdin` types. */
export function startInTerminal(words: readonly string[], env: Env, columns = 100): RunningCli {
  const command = [process.execPath, mainOf("cli"), ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const script = `stty cols ${columns} rows 24; exec ${command.join(" ")}`;
  const args =
    process.platform === "darwin" ? ["-q", "/dev/null", "/bin/sh", "-c", script] : ["-qec", script, "/dev/null"];
  return follow(
    spawn("script", args, { env: { PATH: "/usr/local/bin:/usr/bin:/bin", SHELL: "/bin/sh", TERM: "xterm", ...env } }),
  );
}

function follow(child: ChildProcessWithoutNullStreams): RunningCli {
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const output = collectOutput(child, code);
  // The process may end before it has read its input.
  child.stdin.on("error", () => {});
  const ended = code.then((exitCode) => ({ code: exitCode, stdout: output.stdout(), stderr: output.stderr() }));
  return { child, ended, until: output.until };
}
