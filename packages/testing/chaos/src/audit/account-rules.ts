import type { IssuedAccount } from "../load/load.ts";
import { always, duringRun, type Expected, fault, is, type TableRule } from "./column-rule.ts";
import { accountOf, sha256 } from "./facts.ts";
import type { Row } from "./records.ts";

const accounts = "accounts are true";

const accountRows: TableRule = {
  name: ({ id, email }) => `account ${id} (${email})`,
  columns: {
    id: is(accounts, ({ id, email }, { issued }) => issued.get(email ?? "")?.id ?? id ?? null),
    email: is(accounts, (_row, { issued }) => ({ oneOf: [...issued.keys()] })),
    max_jobs: always(accounts, null),
    max_failed_extractions: always(accounts, null),
    max_failed_percent: always(accounts, null),
    retention_days: always(accounts, null),
    minute_mails: always(accounts, "true"),
    pays: always(accounts, "false"),
    tokens: { free: "The provider counts them, and a killed worker forgets those of its runs." },
    microdollars: { free: "A killed worker forgets the cost of its runs." },
    processor_ms: { free: "A killed worker forgets the time of its runs." },
    created_at: duringRun(accounts),
    deleted_at: always(accounts, null),
  },
  rows: ({ issued, accounts: all }) => ({
    rule: accounts,
    faults: [...issued.values()].flatMap(({ email, id }) =>
      id === undefined || all.has(id) ? [] : [`account ${id} of ${email} is gone`],
    ),
  }),
};

const freeGrants: TableRule = {
  name: ({ email_sha256 }) => `the free grant of ${email_sha256}`,
  columns: {
    email_sha256: is(accounts, ({ email_sha256 }, { emails, issued }) => {
      const email = emails.get(email_sha256?.slice(2) ?? "");
      return fault((issued.get(email ?? "")?.grantedSeconds ?? 0) > 0, "of an address that got free seconds");
    }),
    created_at: duringRun(accounts),
  },
  rows: ({ rows, accounts: all, issued }) => {
    const stored = new Set(rows("free_grants").map(({ email_sha256 }) => email_sha256));
    const lost = [...all.values()].filter(
      ({ email }) => (issued.get(email ?? "")?.grantedSeconds ?? 0) > 0 && !stored.has(`\\x${sha256(email ?? "")}`),
    );
    return { rule: accounts, faults: lost.map(({ email }) => `it is forgotten that ${email} got free seconds`) };
  },
};

const ofIssued = (value: (account: IssuedAccount, row: Row) => Expected) =>
  is(accounts, (row, { issuedKeys }) => {
    const key = issuedKeys.get(row.sha256?.slice(2) ?? "");
    return key ? value(key, row) : fault(false, "of a key that the run created");
  });
const apiKeys: TableRule = {
  name: ({ display, account_id }) => `the API key ${display} of account ${account_id}`,
  columns: {
    id: ofIssued(({ keyId }, { id }) => keyId ?? id ?? null),
    account_id: is(accounts, ({ sha256: hash }, facts) => {
      return accountOf(facts, facts.issuedKeys.get(hash?.slice(2) ?? "")?.email) ?? "an account of the run";
    }),
    name: ofIssued(({ keyName }) => keyName),
    sha256: ofIssued(({ key }) => `\\x${sha256(key)}`),
    display: ofIssued(({ key }, { display }) => fault(display !== "" && key.startsWith(display ?? " "), "of its key")),
    scope: always(accounts, "extract"),
    monthly_minutes: ofIssued(({ monthlyMinutes }) => monthlyMinutes),
    ends_at: always(accounts, null),
    needs: ofIssued(({ monthlyMinutes }) => (monthlyMinutes === null ? "{}" : "{monthly_limit}")),
    replaces_id: always(accounts, null),
    line_id: always(accounts, null),
    created_at: duringRun(accounts),
    revoked_at: always(accounts, null),
    last_used_at: is(accounts, ({ created_at }, { span }) => ({
      from: Number(created_at),
      until: span.until,
      orNull: true,
    })),
  },
  rows: ({ issuedKeys, keys }) => ({
    rule: accounts,
    faults: [...issuedKeys].flatMap(([hash, { keyId, email }]) =>
      keyId !== undefined && !keys.has(hash) ? [`an API key of ${email} is gone`] : [],
    ),
  }),
};

export const accountRules: Readonly<Record<string, TableRule>> = {
  accounts: accountRows,
  free_grants: freeGrants,
  api_keys: apiKeys,
};
