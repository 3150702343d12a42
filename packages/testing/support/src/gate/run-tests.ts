import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../repository-root.ts";
import type { Report } from "./summary.ts";

/** Runs vitest to its end, with its output on ours. Returns its report, or undefined if it wrote none. */
export async function runTests(args: readonly string[]): Promise<Report | undefined> {
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-report-"));
  const file = join(directory, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const vitest = spawn("vitest", ["run", ...reporters, ...args], {
    cwd: repositoryRoot,
    stdio: "inherit",
    // The tests start hundreds of processes. Without a cache, each would compile its code again.
    env: { ...process.env, NODE_COMPILE_CACHE: join(repositoryRoot, ".local", "compile-cache") },
  });
  // A terminal sends Ctrl-C to vitest too. We end after it has stopped its servers.
  const ignore = () => {};
  const forward = () => vitest.kill("SIGTERM");
  process.on("SIGINT", ignore).on("SIGTERM", forward);
  const [code] = (await once(vitest, "exit")) as [number | null];
  process.off("SIGINT", ignore).off("SIGTERM", forward);
  const report = readReport(file);
  rmSync(directory, { recursive: true, force: true });
  return report && { ...report, success: report.success && code === 0 };
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
