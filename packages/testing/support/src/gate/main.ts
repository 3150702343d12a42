import { runGate } from "./run-gate.ts";

const usage = `Usage: ./scripts/test                 types, lint, dead code, all tests but the slowest and those that measure
       ./scripts/test --all           these too; run it before a release
       ./scripts/test <for vitest>    only these tests: --project unit packages/database/src/money
       ./scripts/check                types, lint, dead code, unit tests: seconds`;

const [command, ...args] = process.argv.slice(2);
const vitest = args.filter((argument) => argument !== "--all");
const all = vitest.length < args.length;

// Every test that is too slow for a normal run reads it.
if (all) process.env.VIDEO_TO_JSON_TEST_ALL = "1";

if (args.includes("--help") || args.includes("-h")) process.stdout.write(`${usage}\n`);
else if (command === "check") {
  process.exitCode = await runGate({ vitest: [["--project", "unit", ...vitest]], checks: true, release: false });
} else if (vitest.length > 0) {
  process.exitCode = await runGate({ vitest: [vitest], checks: false, release: false });
} else {
  process.env.VIDEO_TO_JSON_TEST_ONE_PROJECT = "1";
  // Tests that measure time or ratios get the machine for themselves, one file after the other: beside the others they would
  // measure those. A normal run leaves them out.
  const others = ["--exclude", "**/*.measured.*"];
  const runs = all ? [others, ["--maxWorkers", "1", ".measured."]] : [others];
  process.exitCode = await runGate({ vitest: runs, checks: true, release: all });
}
