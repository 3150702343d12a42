import { parseArgs } from "node:util";
import { demonstrate } from "./demo/demonstrate.ts";

const usage = `Usage: ./scripts/demo [--keep]   one extraction from a cold start, then everything is gone again
  --keep   leaves the service running, as ./scripts/stack up does
With GEMINI_API_KEY set it asks the real analysis service; without, a local emulator.`;

try {
  const { values } = parseArgs({
    options: { keep: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) console.log(usage);
  else process.exitCode = await demonstrate({ keep: values.keep, env: process.env });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
