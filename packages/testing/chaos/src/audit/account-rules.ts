import { always, duringRun, type Expected, fault, is, type TableRule } from "./column-rule.ts";
import { accountOf, type Facts, sha256 } from "./facts.ts";
import type { Row } from "./records.ts";

const accounts = "accounts are true";

const accountRows: TableRule = {
  name: ({ id, email }) => `account ${id} (${email})`,
  columns: {
    id: is(accounts, ({ id, email }, { issued }) => issued.ids.get(email ?? "") ?? id ?? null),
    email: is(accounts, (_row, { issued }) => ({ oneOf: [...issued.granted.keys()] })),
    max_jobs: always(accounts, null),
    max_failed_extractions: always(accounts, null),
    max_failed_percent: always(accounts, null),
    retention_days: always(accounts, null),
    created_at: duringRun(accounts),
    deleted_at: always(accounts, null),
  },
  rows: ({ issued, accounts: all }) => ({
    rule: accounts,
    faults: [...issued.ids].flatMap(([email, id]) => (all.has(id) ? [] : [`account ${id} of ${email} is gone`])),
  }),
};

const freeGrants: TableRule = {
  name: ({ email_sha256 }) => `the free grant of ${email_sha256}`,
  columns: {
    email_sha256: is(accounts, ({ email_sha256 }, { emails, issued }) => {
      const email = emails.get(email_sha256?.slice(2) ?? "");
      return fault((issued.granted.get(email ?? "") ?? 0) > 0, "of an address that got free seconds");
    }),
    created_at: duringRun(accounts),
  },
  rows: ({ rows, accounts: all, issued }) => {
    const stored = new Set(rows("free_grants").map(({ email_sha256 }) => email_sha256));
    const lost = [...all.values()].filter(
      ({ email }) => (issued.granted.get(email ?? "") ?? 0) > 0 && !stored.has(`\\x${sha256(email ?? "")}`),
    );
    return { rule: accounts, faults: lost.map(({ email }) => `it is forgotten that ${email} got free seconds`) };
  },
};

const ofIssued = (
  value: (key: Facts["issued"]["keys"] extends ReadonlyMap<string, infer T> ? T : never, row: Row) => Expected,
) =>
  is(accounts, (row, { issued }) => {
    const key = issued.keys.get(row.sha256?.slice(2) ?? "");
    return key ? value(key, row) : fault(false, "of a key that the run created");
  });
const apiKeys: TableRule = {
  name: ({ display, account_id }) => `the API key ${display} of account ${account_id}`,
  columns: {
    id: ofIssued((key, { id }) => key.id ?? id ?? null),
    account_id: is(accounts, ({ sha256: hash }, facts) => {
      return accountOf(facts, facts.issued.keys.get(hash?.slice(2) ?? "")?.email) ?? "an account of the run";
    }),
    name: ofIssued(({ name }) => name),
    sha256: ofIssued(({ key }) => `\\x${sha256(key)}`),
    display: ofIssued(({ key }, { display }) => fault(display !== "" && key.startsWith(display ?? " "), "of its key")),
    scope: always(accounts, "extract"),
    monthly_minutes: ofIssued(({ monthlyMinutes }) => monthlyMinutes),
    ends_at: always(accounts, null),
    created_at: duringRun(accounts),
    revoked_at: always(accounts, null),
    last_used_at: is(accounts, ({ created_at }, { span }) => ({
      from: Number(created_at),
      until: span.until,
      orNull: true,
    })),
  },
  rows: ({ issued, keys }) => ({
    rule: accounts,
    faults: [...issued.keys].flatMap(([hash, { id, email }]) =>
      id !== undefined && !keys.has(hash) ? [`an API key of ${email} is gone`] : [],
    ),
  }),
};

/** The rules of accounts, API keys and free grants. */
export const accountRules: Readonly<Record<string, TableRule>> = {
  accounts: accountRows,
  free_grants: freeGrants,
  api_keys: apiKeys,
};
