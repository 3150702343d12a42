import { join } from "node:path";
import { numberOption, parseCommand, repositoryRoot, runCommand } from "@video-to-json/testing/running";
import { stackLine, stackStatus, stackTable } from "./show/show-stack.ts";
import { keepStack, readRecord, removeStackData, stopKeptStack } from "./stack/kept-stack.ts";
import { signInLink } from "./stack/sign-in-link.ts";

const usage = `Usage: ./scripts/stack up [--workers N] [--apis N] [--json]   start the stack, unless it runs
       ./scripts/stack status [--json]                        show its processes and whether they are ready
       ./scripts/stack sign-in                                print a new link that signs in to the dashboard
       ./scripts/stack down [--purge]                         stop it; --purge also removes its data
Environment variables override its settings: docs/configuration.md. Data and logs are in .local/stack.`;

const dataDir = join(repositoryRoot, ".local", "stack");

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const parsed = parseCommand(args, {
    usage,
    commands: ["up", "status", "sign-in", "down"],
    options: {
      json: { type: "boolean", default: false },
      purge: { type: "boolean", default: false },
      workers: { type: "string" },
      apis: { type: "string" },
    },
  });
  if ("exitCode" in parsed) return parsed.exitCode;
  const { command, values } = parsed;
  switch (command) {
    case "up":
      return up({
        json: values.json,
        workers: numberOption("--workers", values.workers ?? "2", { min: 1, max: 50 }),
        apis: numberOption("--apis", values.apis ?? "1", { min: 1, max: 50 }),
      });
    case "status":
      return status(values.json);
    case "sign-in":
      return signIn();
    case "down":
      return down(values.purge);
    default:
      return command satisfies never;
  }
}

async function up({ json, workers, apis }: { json: boolean; workers: number; apis: number }): Promise<number> {
  const { record, wasUp } = await keepStack({ dataDir, apis, workers, env: process.env });
  if (wasUp) console.error("The stack is already up. ./scripts/stack down stops it.");
  const link = await signInLink(record.stack, dataDir);
  console.log(json ? stackLine(record, link) : stackTable(record, link));
  return 0;
}

async function signIn(): Promise<number> {
  const stack = readRecord(dataDir)?.stack;
  const link = stack && (await signInLink(stack, dataDir));
  console.log(link ?? "There is no link: the stack is down, has no dashboard, or sends its codes by mail.");
  return link ? 0 : 1;
}

async function status(json: boolean): Promise<number> {
  const record = readRecord(dataDir);
  const { rows, good } = await stackStatus(record);
  if (json) console.log(JSON.stringify({ up: good, processes: rows }));
  else if (rows.length === 0) console.log("The stack is down. ./scripts/stack up starts it.");
  else for (const { name, pid, state } of rows) console.log(`${name.padEnd(10)} ${String(pid).padStart(8)}  ${state}`);
  return good ? 0 : 1;
}

async function down(purge: boolean): Promise<number> {
  const stopped = await stopKeptStack(dataDir);
  console.log(stopped.length > 0 ? `Stopped ${stopped.join(", ")}.` : "The stack was not running.");
  if (!purge) return 0;
  await removeStackData(dataDir);
  console.log("Its data is removed.");
  return 0;
}
