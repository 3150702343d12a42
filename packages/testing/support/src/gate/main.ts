import { runGate } from "./run-gate.ts";

const usage = `Usage: ./scripts/test                 types, lint, dead code, all tests but the slowest
       ./scripts/test --all           the slowest tests too; run it before a release
       ./scripts/test <for vitest>    only these tests: --project unit packages/database/src/money
       ./scripts/check                types, lint, dead code, unit tests: seconds`;

const [command, ...args] = process.argv.slice(2);
const vitest = args.filter((argument) => argument !== "--all");

// Every test that is too slow for a normal run reads it.
if (vitest.length < args.length) process.env.VIDEO_TO_JSON_TEST_ALL = "1";

if (args.includes("--help") || args.includes("-h")) process.stdout.write(`${usage}\n`);
else if (command === "check") {
  process.exitCode = await runGate({ vitest: ["--project", "unit", ...vitest], checks: true, audit: false });
} else {
  const isWhole = vitest.length === 0;
  if (isWhole) process.env.VIDEO_TO_JSON_TEST_ONE_PROJECT = "1";
  process.exitCode = await runGate({ vitest, checks: isWhole, audit: isWhole });
}
