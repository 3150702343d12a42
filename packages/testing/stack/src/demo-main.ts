import { parseArgs } from "node:util";
import { demonstrate } from "./demo/demonstrate.ts";

const usage = `Usage: ./scripts/demo [--keep]   start the service, run one extraction, remove everything again
  --keep   leave the service running, like ./scripts/stack up
With GEMINI_API_KEY set it uses the real provider, otherwise a local emulator.`;

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
