import { join } from "node:path";
import { numberOption, repositoryRoot, runCommand } from "@video-to-json/testing/running";
import { Command } from "commander";
import { stackLine, stackStatus, stackTable } from "./show/show-stack.ts";
import { keepStack, readRecord, removeStackData, stopKeptStack } from "./stack/kept-stack.ts";
import { signInLink } from "./stack/sign-in-link.ts";

const dataDir = join(repositoryRoot, ".local", "stack");
const count = (name: string) => (text: string) => numberOption(name, text, { min: 1, max: 50 });

const program = new Command("./scripts/stack")
  .description("Keeps the whole service running. Data and logs are in .local/stack.")
  .addHelpText("after", "\nEnvironment variables override its settings: docs/configuration.md.");

program
  .command("up")
  .description("start the stack, unless it runs")
  .option("--workers <n>", "how many workers", count("--workers"), 2)
  .option("--apis <n>", "how many APIs", count("--apis"), 1)
  .option("--json", "print it as one line of JSON")
  .action(async ({ workers, apis, json }: { workers: number; apis: number; json?: boolean }) => {
    const { record, wasUp } = await keepStack({ dataDir, apis, workers, env: process.env });
    if (wasUp) console.error("The stack is already up. ./scripts/stack down stops it.");
    const link = await signInLink(record.stack, dataDir);
    console.log(json ? stackLine(record, link) : stackTable(record, link));
  });

program
  .command("status")
  .description("show its processes and whether they are ready")
  .option("--json", "print them as one line of JSON")
  .action(async ({ json }: { json?: boolean }) => {
    const { rows, good } = await stackStatus(readRecord(dataDir));
    if (json) console.log(JSON.stringify({ up: good, processes: rows }));
    else if (rows.length === 0) console.log("The stack is down. ./scripts/stack up starts it.");
    for (const { name, pid, state } of json ? [] : rows)
      console.log(`${name.padEnd(10)} ${String(pid).padStart(8)}  ${state}`);
    process.exitCode = good ? 0 : 1;
  });

program
  .command("sign-in")
  .description("print a new link that signs in to the dashboard")
  .action(async () => {
    const stack = readRecord(dataDir)?.stack;
    const link = stack && (await signInLink(stack, dataDir));
    console.log(link ?? "There is no link: the stack is down, has no dashboard, or sends its codes by mail.");
    process.exitCode = link ? 0 : 1;
  });

program
  .command("down")
  .description("stop it")
  .option("--purge", "remove its data too")
  .action(async ({ purge }: { purge?: boolean }) => {
    const stopped = await stopKeptStack(dataDir);
    console.log(stopped.length > 0 ? `Stopped ${stopped.join(", ")}.` : "The stack was not running.");
    if (!purge) return;
    await removeStackData(dataDir);
    console.log("Its data is removed.");
  });

await runCommand(() => program.parseAsync());
