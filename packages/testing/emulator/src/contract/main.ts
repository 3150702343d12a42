import { writeFile } from "node:fs/promises";
import { runCommand } from "@video-to-json/testing";
import { Command } from "commander";
import { startEmulator } from "../emulator.ts";
import { readOptions } from "../options.ts";
import recorded from "./recorded.json" with { type: "json" };
import { differences, runContract, toRecord } from "./run-contract.ts";

const google = "https://generativelanguage.googleapis.com";
const tell = (line: string) => void process.stderr.write(`${line}\n`);

const program = new Command("./scripts/provider-contract")
  .description(
    "Sends every kind of request and every doubt once: to the emulator, and with --live to Google, with GEMINI_API_KEY. " +
      "A live run records the replies, without key and video. Ends with 1 if a message has another form than Google's " +
      "protocol files say or the emulator answers otherwise than Google did, and with 3 if the budget was too small.",
  )
  .option("--live", "ask Google too, and record what it answers", false)
  .option("--budget-dollars <dollars>", "the most that a live run may cost", Number, 0.1)
  .action(async ({ live, budgetDollars }: { live: boolean; budgetDollars: number }) => {
    process.exitCode = await run(live, budgetDollars);
  });

await runCommand(() => program.parseAsync());

async function run(isLive: boolean, budgetDollars: number): Promise<number> {
  if (!(budgetDollars > 0)) throw new Error("--budget-dollars must be a number above 0.");
  let known: Parameters<typeof differences>[0] = recorded;
  let isWhole = true;
  const faults: string[] = [];
  if (isLive) {
    const apiKey = process.env.GEMINI_API_KEY;
    if (!apiKey) throw new Error("--live needs GEMINI_API_KEY.");
    const live = await runContract({ url: google, apiKey, budgetDollars, tell });
    known = toRecord(live.replies, apiKey);
    isWhole = live.isWhole;
    faults.push(...live.formFaults.map((fault) => `Google: ${fault}`));
    await writeFile(new URL("recorded.json", import.meta.url), `${JSON.stringify(known, null, 2)}\n`);
    tell(`The run cost $${live.dollars.toFixed(4)}.`);
  }
  const emulator = await startEmulator({ ...readOptions([], {}), recorded: known }, tell);
  try {
    const now = await runContract({ url: emulator.url, apiKey: "key", budgetDollars: 1, tell });
    faults.push(...now.formFaults, ...differences(known, toRecord(now.replies, "key")));
  } finally {
    await emulator.close();
  }
  for (const fault of faults) tell(fault);
  tell(
    isLive ? "The emulator now answers as recorded." : `${Object.keys(known).length} replies of Google are recorded.`,
  );
  if (faults.length > 0) return 1;
  return isWhole ? 0 : 3;
}
