import { anotherJob, type Plant, sqlPlant, withOtherAccount } from "./plant.ts";

const money = "money is whole";
const limits = "keys keep their limits";

/** Violations in the ledger, the holds and the grants. */
export const moneyPlants: readonly Plant[] = [
  sqlPlant(
    "double-debit",
    money,
    /was charged \[60,60\]/,
    "drop index ledger_debit_job",
    `insert into ledger (account_id, seconds, kind, job_id)
      select account_id, seconds, kind, job_id from ledger where job_id = $job`,
  ),
  sqlPlant("negative-balance", money, /the balance of account .* was -\d+ s/, anotherJob("instructions", 100_000)),
  sqlPlant(
    "open-hold",
    money,
    /the hold of job .* is open/,
    "update holds set state = 'held', ended_at = null where job_id = $job",
  ),
  sqlPlant(
    "moved-hold",
    money,
    /the hold of job .* belongs to account/,
    `${withOtherAccount} update holds set account_id = (select id from other) where job_id = $job`,
  ),
  sqlPlant(
    "moved-debit",
    money,
    /was charged to account/,
    "alter table ledger disable trigger all",
    `${withOtherAccount} update ledger set account_id = (select id from other) where job_id = $job`,
  ),
  sqlPlant(
    "unknown-debit",
    money,
    /which does not exist, was charged/,
    `insert into ledger (account_id, seconds, kind, job_id)
      select account_id, -1, 'debit', gen_random_uuid() from jobs where id = $job`,
  ),
  sqlPlant(
    "unknown-grant",
    money,
    /was granted \[\d+,100000\] s instead of \[\d+\]/,
    `insert into ledger (account_id, seconds, kind, reference)
      select account_id, 100000, 'grant', 'planted' from jobs where id = $job`,
  ),
  sqlPlant(
    "wrong-checkpoint",
    money,
    /the checkpoint of account .* at row \d+ is \d+ s instead of \d+ s/,
    `insert into ledger_checkpoints (account_id, ledger_id, seconds)
      select account_id, max(id), sum(seconds) + 1 from ledger
      where account_id = (select account_id from jobs where id = $job) group by account_id`,
  ),
  sqlPlant(
    "changed-bill",
    money,
    /costs 61 s and was charged \[60\]/,
    "update jobs set billed_seconds = billed_seconds + 1 where id = $job",
  ),
  sqlPlant(
    "wrong-usage",
    limits,
    /the usage of .* is not what was charged/,
    "update daily_usage set seconds = seconds + 1 where key_id = (select key_id from jobs where id = $job)",
  ),
  sqlPlant(
    "passed-limit",
    limits,
    /the key .* cost \d+ s, and its limit is 60 s/,
    "update api_keys set monthly_minutes = 1 where id = (select key_id from jobs where id = $job)",
  ),
];
