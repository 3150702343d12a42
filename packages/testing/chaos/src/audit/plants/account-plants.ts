import { type Plant, sqlPlant, withOtherAccount } from "./plant.ts";

const accounts = "accounts are true";
const addKey = (account: string) =>
  `insert into api_keys (account_id, name, sha256, display) select ${account}, 'planted', sha256('planted'), 'v2j_live_plante'`;

/** Violations in accounts, their API keys and the addresses that got free seconds. */
export const accountPlants: readonly Plant[] = [
  sqlPlant("lost-free-grants", accounts, /it is forgotten that .* got free seconds/, "delete from free_grants"),
  sqlPlant(
    "unknown-free-grant",
    accounts,
    /an address that got none is remembered/,
    "insert into free_grants (email_sha256) values (sha256('planted'))",
  ),
  sqlPlant(
    "foreign-api-key",
    accounts,
    /the API key v2j_live_plante of account .* was not created by the run/,
    `${addKey("account_id")} from jobs where id = $job`,
  ),
  sqlPlant(
    "moved-api-key",
    accounts,
    /the API key .* of account .* was created for/,
    `${withOtherAccount} update api_keys set account_id = (select id from other)
      where account_id = (select account_id from jobs where id = $job)`,
  ),
  sqlPlant(
    "lost-api-key",
    accounts,
    /an API key of .* is gone/,
    "delete from api_keys where account_id = (select account_id from jobs where id = $job)",
  ),
  sqlPlant(
    "revoked-api-key",
    accounts,
    /is revoked, but not by the run/,
    "update api_keys set revoked_at = now() where account_id = (select account_id from jobs where id = $job)",
  ),
  sqlPlant(
    "raised-limits",
    accounts,
    /has limits that the run did not set: 1000/,
    "update accounts set max_jobs = 1000",
  ),
];
