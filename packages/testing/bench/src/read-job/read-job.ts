import { Agent, request } from "node:http";
import { type Db, findAccountByEmail, listJobs, openDatabase } from "@video-to-json/database";
import { type Stack, startStack } from "@video-to-json/stack";
import type { Benchmark, Run } from "../benchmark.ts";
import { type Latencies, latenciesOf } from "../latencies.ts";
import type { Figure } from "../report/figure.ts";
import { fillJobs } from "./fill-jobs.ts";

/** Reading jobs from a full table and from an empty one. */
export const readJobs: Benchmark = {
  name: "read-job",
  title: "Reading a job",
  how: "GET /v1/jobs/{id}, and the newest jobs of an account, on a table of a million jobs, beside an empty one",
  async measure(run) {
    const result = await readJob({
      ...run,
      ...(run.quick ? { jobs: 10_000, requests: 300 } : { jobs: 1_000_000, requests: 3000 }),
    });
    const { jobs, ofAccount } = result;
    return {
      figures: figuresOf(result),
      conditions: [`${jobs.toLocaleString("en")} jobs, ${ofAccount.toLocaleString("en")} of the caller`],
    };
  },
};

function figuresOf({ full, empty }: ReadJobResult): Figure[] {
  return measured.flatMap((name) =>
    (["p50", "p99"] as const).map((part) => ({
      what: `${titles[name]}, ${part}`,
      unit: "ms",
      measured: full[name][part],
      beside: { what: "empty table", measured: empty[name][part] },
      ...(name === "read 1" && part === "p50" && { goal: { of: "measured", most: mostMs } as const }),
    })),
  );
}

const titles = {
  "read 1": "GET /v1/jobs/{id}, 1 at a time",
  "read 8": "GET /v1/jobs/{id}, 8 at a time",
  "list 10": "newest 10 jobs, from the database",
  "list 50": "newest 50 jobs, from the database",
} as const;

/** The latencies of each kind of read, in milliseconds. */
type ReadJobFigures = Record<(typeof measured)[number], Latencies>;

/** The figures for a table with `jobs` jobs, `ofAccount` of them of the account, and for one with a hundred. */
type ReadJobResult = {
  jobs: number;
  ofAccount: number;
  full: ReadJobFigures;
  empty: ReadJobFigures;
};

/** GET /v1/jobs/{id}, one and eight at a time, and the newest 10 and 50 jobs of the account, one at a time. */
const measured = ["read 1", "read 8", "list 10", "list 50"] as const;

const mostMs = 5;
const fewJobs = 100;
const share = 10;

type Sizes = { jobs: number; requests: number };

/**
 * Starts an API, with Postgres and Redis unless `env` names them (docs/configuration.md). Measures the latency of reads
 * before and after it inserts `jobs` jobs, of which one in ten belongs to the account.
 */
export async function readJob({
  dataDir,
  env,
  jobs,
  requests,
  tell,
}: Omit<Run, "quick"> & Sizes): Promise<ReadJobResult> {
  tell("Starting Postgres, Redis and an API …");
  const settings = { GEMINI_API_KEY: "nobody asks", READS_PER_MINUTE: "1000000", LOG_LEVEL: "warn", ...env };
  const stack = await startStack({ dataDir, apis: 1, workers: 0, env: settings, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1, applicationName: "bench" });
  try {
    const { db } = database;
    const account = await findAccountByEmail(db, stack.accountEmail);
    if (!account) throw new Error("The stack has no account.");
    const accountId = account.id;
    await fillJobs(db, { accountId, count: fewJobs, share: 1 });
    const empty = await figures(stack, db, accountId, requests);
    tell(`Putting ${jobs.toLocaleString("en")} jobs in …`);
    await fillJobs(db, { accountId, count: jobs, share });
    const full = await figures(stack, db, accountId, requests);
    const ofAccount = fewJobs + Math.ceil(jobs / share);
    return { jobs: fewJobs + jobs, ofAccount, full, empty };
  } finally {
    await database.close();
    await stack.stop();
  }
}

async function figures(stack: Stack, db: Db, accountId: string, requests: number): Promise<ReadJobFigures> {
  const ids = await someIds(db, accountId);
  const read = async (together: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: together });
    let next = 0;
    try {
      return await latenciesOf(() => get(stack, agent, ids[next++ % ids.length] ?? ""), { times: requests, together });
    } finally {
      agent.destroy();
    }
  };
  const list = (limit: number) =>
    latenciesOf(() => listJobs(db, { accountId, limit, maxDataBytes: 2 ** 24 }), { times: requests / 10, together: 1 });
  return { "read 1": await read(1), "read 8": await read(8), "list 10": await list(10), "list 50": await list(50) };
}

/** Returns random ids of jobs of the account. */
async function someIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.execute(`
    select id from jobs where account_id = '${accountId}' order by md5(id::text) limit 5000`);
  return rows.map(({ id }) => String(id));
}

/** Reads a job on a keep-alive connection. Throws unless the status is 200. */
function get({ baseUrl, apiKey }: Stack, agent: Agent, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(`${baseUrl}/v1/jobs/${id}`, { agent, headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      response.resume().once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`GET /v1/jobs/${id} answers ${response.statusCode}.`));
      });
    })
      .once("error", reject)
      .end();
  });
}
