import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const packageUrl = fileURLToPath(new URL("../index.ts", import.meta.url));

/** Prints the id of each job that it starts, and never finishes one. */
const script = `
  import { startWorker } from ${JSON.stringify(packageUrl)};
  const [redisUrl, prefix] = process.argv.slice(1);
  const worker = startWorker({ redisUrl, prefix, concurrency: 1, onError() {}, run(jobId) {
    console.log(jobId);
    return new Promise(() => {});
  } });
  process.once("SIGTERM", () => worker.close(0));
`;

/** Starts a worker in a process of its own, for tests to kill. */
export function startWorkerProcess({ redisUrl, prefix }: { redisUrl: string; prefix: string }) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, redisUrl, prefix], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    child,
    /** Resolves with the id of the next job that it starts. */
    async started(): Promise<string> {
      const [jobId] = await once(lines, "line");
      return String(jobId);
    },
  };
}
