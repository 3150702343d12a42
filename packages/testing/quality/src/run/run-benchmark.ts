import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeStackDirectory, startStack } from "@video-to-json/stack";
import { type Emulator, type Environment, emulatorControl, startEmulator } from "@video-to-json/testing/running";
import type { Case } from "../cases/make-case.ts";
import { type Column, foreignMode, modes } from "./columns.ts";
import { type CaseResult, type Journal, openJournal } from "./journal.ts";
import { type Meter, startMeter } from "./meter.ts";
import { openPayingAccount, runCases } from "./run-cases.ts";
import type { Budget, Prices } from "./spending.ts";

/** What to run. */
export type BenchmarkOptions = {
  cases: readonly Case[];
  /** The modes of the emulator. A real provider has one mode. */
  modes: readonly string[];
  /** The errors of the emulator in a mode that only this run has. */
  errors?: Readonly<Record<string, readonly object[]>>;
  columns: readonly Column[];
  /** The provider's address, or undefined to start an emulator. `chat`: its settings if it is a server of chat completions. */
  provider: { url: string; apiKey: string; chat?: Readonly<Record<string, string>> } | undefined;
  budget: Budget;
  prices: Prices | undefined;
  /** The file of the results, from which a later run continues. */
  resultsFile: string;
  dataDir: string;
  workers: number;
  env: Environment;
  tell(line: string): void;
};

/** Runs the cases in each mode and column, or continues a stopped run. Says whether the budget ended it. */
export async function runBenchmark(options: BenchmarkOptions) {
  const { cases, columns, prices, budget, provider, dataDir } = options;
  const asked = { providerUrl: provider?.url ?? null, ...(provider?.chat ? { model: provider.chat } : {}) };
  const settings = { cases, columns, modes: options.modes, ...asked };
  const hash = createHash("sha256").update(JSON.stringify(settings)).digest("hex");
  const journal = openJournal(options.resultsFile, { settings: hash, budget, prices });
  const { results } = journal;
  const inFlight = new Set<Case>();
  const emulator = provider ? undefined : await startEmulator({ dataDir: join(dataDir, "emulator"), processingMs: 0 });
  const providerUrl = provider?.url ?? String(emulator?.url);
  const meter = await startMeter({ providerUrl, journal, mostTokens: () => mostTokens(inFlight) });
  try {
    // The columns of a group have the same settings of the workers.
    for (const group of Map.groupBy(columns, ({ settings }) => JSON.stringify(settings)).values()) {
      if (journal.isEmpty()) break;
      const open = columnsLeft(options, group, results);
      if (open.length > 0) await runGroup(open, { options, emulator, meter, journal, inFlight });
    }
    const isComplete = columnsLeft(options, columns, results).length === 0;
    return { results, spent: journal.spent(), isComplete };
  } finally {
    await meter.close();
    await emulator?.stop();
    journal.close();
  }
}

/** A column in a mode, and its cases without a result. */
type Open = { mode: string; column: Column; cases: Case[] };

type Parts = Pick<Parameters<typeof runCases>[1], "inFlight"> & {
  options: BenchmarkOptions;
  emulator: Emulator | undefined;
  meter: Meter;
  journal: Journal;
};

async function runGroup(open: readonly Open[], parts: Parts): Promise<void> {
  const { options, emulator, meter, journal, inFlight } = parts;
  const { workers, env, tell, dataDir } = options;
  const many = "1000000";
  const address = options.provider?.chat ? "CHAT_BASE_URL" : "GEMINI_BASE_URL";
  await using directory = makeStackDirectory(dataDir, "stack-");
  const stack = await startStack({
    ...{ apis: 1, workers, detached: false, dataDir: directory.path },
    env: {
      ...env,
      ...{ MAX_JOBS_PER_ACCOUNT: many, EXTRACTIONS_PER_MINUTE: many, READS_PER_MINUTE: many, LOG_LEVEL: "warn" },
      // One job for each worker, so that the meter knows the job of each question.
      ...{ WORKER_CONCURRENCY: "1", GLOBAL_CONCURRENCY: String(workers) },
      GEMINI_API_KEY: options.provider?.apiKey ?? "quality",
      // The meter knows only the questions of jobs. It learns a job from the name of its upload.
      ...{ PROVIDER_CHECK: "off", GEMINI_MAX_INLINE_BYTES: "0" },
      ...options.provider?.chat,
      ...open[0]?.column.settings,
    },
    settingsOf: async ({ app, name }) => (app === "worker" ? { [address]: meter.urlFor(name) } : {}),
  });
  try {
    const service = { baseUrl: stack.baseUrl, apiKey: await openPayingAccount(stack.databaseUrl) };
    for (const { mode, column, cases } of open) {
      tell(`Asking ${cases.length} cases: ${mode}, ${column.name} …`);
      if (emulator) await emulatorControl(emulator.url).setErrors(options.errors?.[mode] ?? modes[mode] ?? []);
      await runCases(cases, { mode, column, service, meter, journal, lanes: workers, inFlight });
    }
  } finally {
    await stack.stop();
  }
}

function columnsLeft(options: BenchmarkOptions, columns: readonly Column[], results: readonly CaseResult[]): Open[] {
  const keyOf = (mode: string, column: string, id: string) => JSON.stringify([mode, column, id]);
  const done = new Set(results.map(({ mode, column, id }) => keyOf(mode, column, id)));
  const isOpen = (mode: string, { modes, name }: Column, id: string) =>
    (mode === foreignMode || (modes?.includes(mode) ?? true)) && !done.has(keyOf(mode, name, id));
  return (options.provider ? [foreignMode] : options.modes).flatMap((mode) =>
    columns.flatMap((column) => {
      const cases = options.cases.filter(({ id }) => isOpen(mode, column, id));
      return cases.length > 0 ? [{ mode, column, cases }] : [];
    }),
  );
}

/** Frames of 258 tokens and sound of 32 tokens a second, both generous, and the text of a question. */
const tokensPerSecond = 300;
const textTokens = 20_000;

function mostTokens(inFlight: ReadonlySet<Case>): number {
  const longest = Math.max(0, ...[...inFlight].map(({ durationMs }) => durationMs));
  return Math.ceil((longest / 1000) * tokensPerSecond) + textTokens;
}
