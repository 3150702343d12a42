import type { Db } from "@video-to-json/database";
import type { EvidenceReading } from "../audit/evidence.ts";
import type { Records } from "../audit/records/read-records.ts";
import type { Call, ChaosAccount } from "../load/call.ts";

type Jobs = Pick<Records, "jobs">;
type World = { readonly db: Db; readonly apiUrls: readonly string[] };

const maxRead = 40;
const maxDeleted = 3;

/** Reads the evidence of jobs, the newest first, with the keys of their accounts and with the key of another account. */
export async function readEvidence(world: World, calls: readonly Call[], records: Jobs): Promise<EvidenceReading[]> {
  const known = knownJobs(calls, records);
  const [asked, others] = [known.filter(({ hasEvidence }) => hasEvidence), known.filter((job) => !job.hasEvidence)];
  const readings: EvidenceReading[] = [];
  for (const { id, owner, stranger } of [...asked.slice(0, maxRead), ...others.slice(0, maxRead / 4)]) {
    readings.push(await read(world, id, owner, "owner"), await read(world, id, stranger, "stranger"));
  }
  return readings;
}

/** Deletes some jobs with evidence, as their accounts may do, and reads their evidence again. */
export async function deleteEvidence(world: World, calls: readonly Call[], records: Jobs): Promise<EvidenceReading[]> {
  const asked = knownJobs(calls, records).filter(({ hasEvidence }) => hasEvidence);
  const readings: EvidenceReading[] = [];
  for (const { id, owner } of asked.slice(0, maxDeleted)) {
    await fetch(`${world.apiUrls[0]}/v1/jobs/${id}`, { method: "DELETE", headers: headersOf(owner) });
    readings.push(await read(world, id, owner, "owner after deletion"));
  }
  return readings;
}

function knownJobs(calls: readonly Call[], { jobs }: Jobs) {
  const accounts = new Map(calls.map(({ account }) => [account.id, account]));
  return jobs.toReversed().flatMap(({ id, accountId, status, evidenceText }) => {
    const owner = accounts.get(accountId);
    const stranger = accounts.values().find((account) => account.id !== accountId);
    const hasEvidence = status === "succeeded" && evidenceText !== null;
    return owner && stranger ? [{ id, owner, stranger, hasEvidence }] : [];
  });
}

async function read(
  { db, apiUrls }: World,
  jobId: string,
  account: ChaosAccount,
  by: EvidenceReading["by"],
): Promise<EvidenceReading> {
  const response = await fetch(`${apiUrls[0]}/v1/jobs/${jobId}/evidence`, { headers: headersOf(account) });
  const [row] = await db.execute(`select evidence is not null as is_stored from jobs where id = '${jobId}'`);
  return { jobId, by, status: response.status, text: await response.text(), isStored: row?.is_stored === true };
}

function headersOf({ key }: ChaosAccount) {
  return { authorization: `Bearer ${key}` };
}
