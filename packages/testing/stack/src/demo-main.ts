import { parseArgs } from "node:util";
import { runCommand } from "@video-to-json/testing/running";
import { demonstrate } from "./demo/demonstrate.ts";

const usage = `Usage: ./scripts/demo [--keep]   start the service, run one extraction, remove everything again
  --keep   leave the service running, like ./scripts/stack up
With GEMINI_API_KEY set it uses the real provider, otherwise a local emulator.
It takes keys of the unpaid tier too: Google may use the videos that those send.`;

await runCommand(async (args) => {
  const option = { type: "boolean", default: false } as const;
  const { values } = parseArgs({ args, options: { keep: option, help: { ...option, short: "h" } } });
  if (!values.help) return demonstrate({ keep: values.keep, env: process.env });
  console.log(usage);
  return 0;
});
