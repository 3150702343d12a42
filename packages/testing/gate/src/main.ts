import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { auditVerdict, type Verdict } from "./dependencies/audit.ts";
import { type Report, summary } from "./test-summary.ts";

const directory = mkdtempSync(join(tmpdir(), "video-to-json-report-"));
const reportFile = join(directory, "report.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
const vitest = spawn("vitest", ["run", ...reporters, ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  stdio: "inherit",
  // The tests start the service's processes hundreds of times, each of which would read its code anew.
  env: { ...process.env, NODE_COMPILE_CACHE: join(repositoryRoot, ".local", "compile-cache") },
});
// The terminal sends Ctrl-C to vitest too; it is vitest that ends in good order, and we after it.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => vitest.kill("SIGTERM"));
// Of a whole run only: what was published since is no matter of a single test.
const auditing = process.argv.length > 2 ? undefined : audit();
const [code] = (await once(vitest, "exit")) as [number | null];
const { line, good } = summary(readReport());
rmSync(directory, { recursive: true, force: true });
const audited = await auditing;
if (audited) process.stdout.write(`\n${audited.line}\n`);
process.exitCode = code === 0 && good && (audited?.good ?? true) ? 0 : code || 1;
process.stdout.write(`\n${line}\n`);

/** What the registry knows of the packages that are shipped, if it says so in a minute. */
function audit(): Promise<Verdict> {
  return new Promise((resolve) => {
    const options = { cwd: repositoryRoot, timeout: 60_000, maxBuffer: 2 ** 26 };
    execFile("pnpm", ["audit", "--prod", "--json"], options, (_error, stdout) => resolve(auditVerdict(stdout)));
  });
}

function readReport(): Report | undefined {
  try {
    return JSON.parse(readFileSync(reportFile, "utf8")) as Report;
  } catch {
    return undefined;
  }
}
