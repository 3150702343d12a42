import type { Readable } from "node:stream";

/** Collects what a run writes, with ␛ in place of the escape character on standard output. */
export function collectOutput(streams: { stdout: Readable; stderr: Readable }, ended: Promise<unknown>) {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  streams.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text.replaceAll("\u001b", "␛");
    notify();
  });
  streams.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    notify();
  });
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    /** Resolves when the output of both streams together matches. Rejects when `ended` resolves without a match. */
    until: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const check = () => {
          if (pattern.test(stdout + stderr)) resolve();
        };
        listeners.add(check);
        check();
        void ended.then(() => reject(new Error(`The run ended without ${pattern}:\n${stdout}${stderr}`)));
      }),
  };
}

export type Output = ReturnType<typeof collectOutput>;
