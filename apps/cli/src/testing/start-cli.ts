import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** A run of `video-to-json` that came to its end. */
export type Ended = { code: number | null; stdout: string; stderr: string };

/** A run of `video-to-json`, under way. */
export type Running = {
  child: ChildProcessWithoutNullStreams;
  ended: Promise<Ended>;
  /** Resolves once what it wrote, both streams together, matches. Throws when it ends without. */
  until(told: RegExp): Promise<void>;
};

/** Environment variables by name. */
export type Env = Readonly<Record<string, string>>;

/** Runs `video-to-json` as a process of its own, on pipes, to its end. */
export function runCli(words: readonly string[], env: Env, input = ""): Promise<Ended> {
  const running = startCli(words, env);
  running.child.stdin.end(input);
  return running.ended;
}

/** Starts `video-to-json` as a process of its own, on pipes. */
export function startCli(words: readonly string[], env: Env): Running {
  return follow(spawn(process.execPath, [main, ...words], { env: { ...env } }));
}

/**
 * Starts `video-to-json` on a terminal of its own: what it is sent is `stdout`, with ␛ for the escape character, and its
 * keys are `child.stdin`.
 */
export function startInTerminal(words: readonly string[], env: Env): Running {
  const command = [process.execPath, main, ...words];
  const args =
    process.platform === "darwin"
      ? ["-q", "/dev/null", ...command]
      : ["-qec", command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" "), "/dev/null"];
  return follow(
    spawn("script", args, { env: { PATH: "/usr/local/bin:/usr/bin:/bin", SHELL: "/bin/sh", TERM: "xterm", ...env } }),
  );
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  const hear = () => {
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text.replaceAll("\u001b", "␛");
    hear();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    hear();
  });
  // It may end before it has read what it is given.
  child.stdin.on("error", () => {});
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    until: (told) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (told.test(stdout + stderr)) resolve();
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without ${told}:\n${stdout}${stderr}`)));
      }),
  };
}
