import { join } from "node:path";
import { openDatabase } from "@video-to-json/database";
import { startStack } from "@video-to-json/stack";
import { emulatorControl, startPostgres } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { summary } from "../latencies.ts";
import { makeClip } from "../overhead/clip.ts";
import { openPayingAccount } from "../overhead/open-paying-account.ts";
import { forkScript } from "../processes/fork-script.ts";
import type { Figure, Measurement } from "../report/figure.ts";
import type { CallsTask, FirstByte } from "./first-byte.ts";

/** How long a stored answer takes to reach its caller. */
export const wakeUp: Benchmark = {
  name: "wake-up",
  title: "Wake-up",
  how: "from the commit of the answer in PostgreSQL to the first byte of the response, with 1 and 100 in flight",
  measure: measureWakeUp,
};

const goals = { p50: 5, p99: 25 } as const;

async function measureWakeUp({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const calls = quick ? { one: 20, many: 40, inFlight: 10 } : { one: 20, many: 500, inFlight: 100 };
  const latencyMs = quick ? 500 : 5000;
  tell("Starting PostgreSQL with the times of its commits, Redis, the emulator, an API and two workers …");
  const postgres = await startPostgres({ dataDir: join(dataDir, "postgres") });
  try {
    await keepCommitTimes(postgres);
    const most = String(calls.inFlight);
    const limits = { MAX_JOBS_PER_ACCOUNT: "1000000", EXTRACTIONS_PER_MINUTE: "1000000", GLOBAL_CONCURRENCY: most };
    const settings = { ...limits, WORKER_CONCURRENCY: most, ...env, GEMINI_API_KEY: "", GEMINI_BASE_URL: "" };
    const withDatabase = { ...settings, DATABASE_URL: postgres.url };
    const stack = await startStack({ dataDir, apis: 1, workers: 2, env: withDatabase, detached: false });
    const clip = join(dataDir, "clip.mp4");
    await makeClip(clip);
    const args = [stack.baseUrl, await openPayingAccount(stack.databaseUrl), clip];
    const caller = forkScript<CallsTask, FirstByte[]>(new URL("./first-byte.ts", import.meta.url), { args });
    try {
      tell("Warming up …");
      await caller.run({ calls: quick ? 5 : 100, inFlight: 8 });
      const emulator = emulatorControl(String(stack.emulatorUrl));
      const measured = async (calls: number, inFlight: number, ms: number) => {
        await emulator.setFaults([{ on: "generate", kind: "latency", ms, times: -1 }]);
        tell(`Running ${calls} jobs, ${inFlight} in flight …`);
        return wakeUpsOf(stack.databaseUrl, await caller.run({ calls, inFlight }));
      };
      const alone = await measured(calls.one, 1, 500);
      const many = await measured(calls.many, calls.inFlight, latencyMs);
      return {
        figures: figuresOf(alone, many, calls.inFlight),
        conditions: [`1 API, 2 workers, ${calls.many} jobs, a provider that takes ${latencyMs / 1000} s`],
      };
    } finally {
      caller.stop();
      await stack.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** The times of one job in milliseconds: from the commit of its answer, and of its clean-up, to the first byte. */
type WakeUp = { answer: number; cleanUp: number };

function figuresOf(alone: readonly WakeUp[], many: readonly WakeUp[], inFlight: number): Figure[] {
  const times = (all: readonly WakeUp[], from: keyof WakeUp) => summary(all.map((one) => one[from]));
  const beside = (part: "p50" | "p99") => ({ what: "1 in flight", measured: times(alone, "answer")[part] });
  return [
    ...(["p50", "p99"] as const).map((part) => ({
      what: `${part}, ${inFlight} in flight`,
      unit: "ms",
      measured: times(many, "answer")[part],
      beside: beside(part),
      goal: { of: "measured", most: goals[part] } as const,
    })),
    {
      what: `p50 from the commit of the clean-up, ${inFlight} in flight`,
      unit: "ms",
      measured: times(many, "cleanUp").p50,
      beside: { what: "1 in flight", measured: times(alone, "cleanUp").p50 },
    },
  ];
}

async function keepCommitTimes(postgres: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
  const database = openDatabase(postgres.url, { maxConnections: 1, applicationName: "bench" });
  await database.db.execute("alter system set track_commit_timestamp = on").finally(() => database.close());
  await postgres.restart();
}

/** A debit is committed with its answer and never changes. The last change of a job's row is its clean-up. */
async function wakeUpsOf(databaseUrl: string, answers: readonly FirstByte[]): Promise<WakeUp[]> {
  const database = openDatabase(databaseUrl, { maxConnections: 1, applicationName: "bench" });
  try {
    const rows = await database.db.execute(`
      select l.job_id, extract(epoch from pg_xact_commit_timestamp(l.xmin)) * 1000 as answer,
        extract(epoch from pg_xact_commit_timestamp(j.xmin)) * 1000 as cleaned
      from ledger l join jobs j on j.id = l.job_id where l.kind = 'debit'`);
    const commits = new Map(rows.map(({ job_id, answer, cleaned }) => [String(job_id), { answer, cleaned }]));
    return answers.map(({ jobId, at }) => {
      const commit = commits.get(jobId);
      return { answer: at - Number(commit?.answer), cleanUp: at - Number(commit?.cleaned) };
    });
  } finally {
    await database.close();
  }
}
