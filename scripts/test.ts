import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { type Report, summary } from "./test-summary.ts";

const directory = mkdtempSync(join(tmpdir(), "video-to-json-report-"));
const reportFile = join(directory, "report.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
const vitest = spawn("vitest", ["run", ...reporters, ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  stdio: "inherit",
});
// The terminal sends Ctrl-C to vitest too; it is vitest that ends in good order, and we after it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => vitest.kill("SIGTERM"));
const [code] = (await once(vitest, "exit")) as [number | null];
const { line, good } = summary(readReport());
rmSync(directory, { recursive: true, force: true });
process.exitCode = code === 0 && good ? 0 : code || 1;
process.stdout.write(`\n${line}\n`);

function readReport(): Report | undefined {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
