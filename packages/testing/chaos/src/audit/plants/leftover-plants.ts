import { randomUUID } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { askRedis } from "@video-to-json/testing/running";
import { type Call, successOf } from "../../load/call.ts";
import { type Place, type Plant, sqlPlant } from "./plant.ts";

const left = "nothing is left";

/** Leftovers that a quiet service must not have: files, entries of the queue, crashes in logs, charges after errors. */
export const leftoverPlants: readonly Plant[] = [
  sqlPlant(
    "unknown-waiter",
    left,
    /calls share job .*, which is of no MCP call/,
    "insert into job_waiters (call_id, job_id) values (gen_random_uuid(), $job)",
  ),
  sqlPlant(
    "queued-job",
    left,
    /job .* is in the order of open jobs/,
    "insert into queue_jobs (job_id, account_id, created_at) select id, account_id, created_at from jobs where id = $job",
  ),
  sqlPlant(
    "counted-job",
    left,
    /account .* has 0 waiting and 1 running jobs/,
    "update queue_accounts set running = 1 where account_id = (select account_id from jobs where id = $job)",
  ),
  sqlPlant("forgotten-worker", left, /the places of 0 workers count, and \d+ run/, "delete from workers"),
  sqlPlant(
    "unknown-worker",
    left,
    /the places of \d+ workers count, and \d+ run/,
    "insert into workers (id, places) select gen_random_uuid(), places from workers where app = 'worker'",
  ),
  sqlPlant("more-places", left, /is recorded with 4 places instead of 3/, "update workers set places = places + 1"),
  {
    name: "leftover",
    breaks: left,
    says: /storage\//,
    plantIn: ({ dataDir }) => writeFile(join(dataDir, "storage", randomUUID()), "planted"),
  },
  {
    name: "object-in-bucket",
    breaks: left,
    says: /bucket\/uploads\/[0-9a-f-]{36}$/,
    plantIn: async ({ s3 }) => inBucket(s3).putObject(`uploads/${randomUUID()}`),
  },
  {
    name: "open-upload-in-bucket",
    breaks: left,
    says: /bucket\/uploads\/[0-9a-f-]{36}\?uploadId/,
    plantIn: async ({ s3 }) => inBucket(s3).openUpload(`uploads/${randomUUID()}`),
  },
  {
    name: "leftover-in-redis",
    breaks: left,
    says: /Redis: v2j:extractions:[0-9a-f-]{36}/,
    async plantIn({ redisUrl }) {
      await askRedis(redisUrl, `HSET v2j:extractions:${randomUUID()} name planted`);
    },
  },
  {
    name: "unhandled-rejection",
    breaks: "logs are clean",
    says: /unhandled rejection/,
    plantIn: ({ dataDir }) =>
      appendFile(
        join(dataDir, "logs", "api-1.log"),
        `${JSON.stringify({ level: "error", msg: "unhandled rejection" })}\n`,
      ),
  },
  {
    name: "charged-error",
    breaks: "errors cost nothing",
    says: /got \[extraction_failed\] and was charged for job/,
    plantIn: async ({ calls, jobId }) => plantErrorResponse(calls, jobId),
  },
];

function inBucket(s3: Place["s3"]): NonNullable<Place["s3"]> {
  if (!s3) throw new Error("There is no bucket. Run with --storage s3.");
  return s3;
}

/** Changes the record of the client: it sent one request for the succeeded job and got an error. */
function plantErrorResponse(calls: readonly Call[], jobId: string): void {
  const call = calls.find(({ attempts }) => attempts.some((attempt) => successOf(attempt)?.jobId === jobId));
  const [first] = call?.attempts ?? [];
  if (!call || !first) throw new Error(`No client got a response for job ${jobId}.`);
  const code = "extraction_failed";
  const text = JSON.stringify({ error: { code, message: "planted" } });
  call.attempts = [{ ...first, outcome: { is: "answered", status: 422, text, code, jobId, replayed: false } }];
}
