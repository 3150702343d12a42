import { join } from "node:path";
import { openDatabase } from "@video-to-json/database";
import { startPostgres } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { openExtractor } from "../calls.ts";
import { figure, type Measurement } from "../figure.ts";
import { type Service, startService } from "../service.ts";
import { repeat, summary } from "../times.ts";
import { makeClip } from "../videos.ts";

/** How long a stored answer takes to reach its caller. */
export const wakeUp: Benchmark = {
  name: "wake-up",
  title: "Wake-up",
  how: "from the commit of the answer in PostgreSQL to the first byte of the response, with 1 and 100 in flight",
  measure: measureWakeUp,
};

const goals = { p50: 5, p99: 25 } as const;

async function measureWakeUp(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const calls = quick ? { one: 20, many: 40, inFlight: 10 } : { one: 20, many: 500, inFlight: 100 };
  const latencyMs = quick ? 500 : 5000;
  tell("Starting PostgreSQL with the times of its commits, Redis, the emulator, an API and two workers …");
  await using starting = new AsyncDisposableStack();
  const postgres = await startPostgres({ dataDir: join(run.dataDir, "postgres") });
  starting.defer(() => postgres.stop());
  await keepCommitTimes(postgres);
  const most = String(calls.inFlight);
  const service = await startService(
    { ...run, env: { ...run.env, DATABASE_URL: postgres.url } },
    { workers: 2, settings: { GLOBAL_CONCURRENCY: most, WORKER_CONCURRENCY: most } },
  );
  starting.use(service);
  const clip = join(run.dataDir, "clip.mp4");
  await makeClip(clip);
  using extract = await openExtractor(service, clip);
  tell("Warming up …");
  await repeat(extract, quick ? 5 : 100, 8);
  const measured = async (jobs: number, inFlight: number, ms: number) => {
    await service.setLatency(ms);
    tell(`Running ${jobs} jobs, ${inFlight} in flight …`);
    const answers: FirstByte[] = [];
    await repeat(
      async () => {
        const { text, firstByteAt: at } = await extract();
        answers.push({ jobId: (JSON.parse(text) as { id: string }).id, at });
      },
      jobs,
      inFlight,
    );
    return wakeUpsOf(service, answers);
  };
  const alone = await measured(calls.one, 1, 500);
  const many = await measured(calls.many, calls.inFlight, latencyMs);
  const at = `${calls.inFlight} in flight`;
  const beside = (measured: number) => ["1 in flight", measured] as const;
  const row = (part: "p50" | "p99") =>
    figure(`${part}, ${at}`, "ms", many.answer[part], { beside: beside(alone.answer[part]), most: goals[part] });
  return {
    figures: [
      ...[row("p50"), row("p99")],
      figure(`p50 from the commit of the clean-up, ${at}`, "ms", many.cleanUp.p50, {
        beside: beside(alone.cleanUp.p50),
      }),
    ],
    conditions: [`1 API, 2 workers, ${calls.many} jobs, a provider that takes ${latencyMs / 1000} s`],
  };
}

/** The job of a call, and when the first byte of its response arrived, in milliseconds since 1970. */
type FirstByte = { jobId: string; at: number };

async function keepCommitTimes(postgres: Awaited<ReturnType<typeof startPostgres>>): Promise<void> {
  const database = openDatabase(postgres.url, { maxConnections: 1, applicationName: "bench" });
  await database.db.execute("alter system set track_commit_timestamp = on").finally(() => database.close());
  await postgres.restart();
}

/** In milliseconds. A debit is committed with its answer; the last change of a job's row is its clean-up. */
async function wakeUpsOf({ db }: Service, answers: readonly FirstByte[]) {
  const rows = await db.execute(`
    select l.job_id, extract(epoch from pg_xact_commit_timestamp(l.xmin)) * 1000 as answer,
      extract(epoch from pg_xact_commit_timestamp(j.xmin)) * 1000 as cleaned
    from ledger l join jobs j on j.id = l.job_id where l.kind = 'debit'`);
  const commits = new Map(rows.map((row) => [String(row.job_id), row]));
  const after = (commit: "answer" | "cleaned") =>
    summary(answers.map(({ jobId, at }) => at - Number(commits.get(jobId)?.[commit])));
  return { answer: after("answer"), cleanUp: after("cleaned") };
}
