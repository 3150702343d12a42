import { createHash } from "node:crypto";
import type { Evidence, Violation } from "../evidence.ts";

/**
 * Checks that each account has the default limits and the API keys that the run created. Checks also that each address
 * that got free seconds is recorded, so that it never gets them again.
 */
export function auditAccounts(evidence: Evidence): Violation[] {
  const limits = evidence.records.accounts.flatMap(({ id, ownLimits }) =>
    ownLimits === "" ? [] : [`account ${id} has limits that the run did not set: ${ownLimits}`],
  );
  return [...limits, ...keyFaults(evidence), ...freeGrantFaults(evidence)].map((what) => ({
    rule: "accounts are true",
    what,
  }));
}

function keyFaults({ records, issuedKeys, calls }: Evidence): string[] {
  const emails = new Map(records.accounts.map(({ id, email }) => [id, email]));
  const stored = new Map(records.apiKeys.map((key) => [key.sha256, key]));
  const used = new Set(calls.map(({ account }) => account.key));
  return [
    ...records.apiKeys.flatMap(({ accountId, sha256, display, isRevoked }) => {
      const issued = issuedKeys.get(sha256);
      const name = `the API key ${display} of account ${accountId}`;
      if (!issued) return [`${name} was not created by the run`];
      if (issued.email !== emails.get(accountId)) return [`${name} was created for ${issued.email}`];
      if (!issued.key.startsWith(display)) return [`${name} is shown as another`];
      return isRevoked ? [`${name} is revoked, but not by the run`] : [];
    }),
    ...[...issuedKeys].flatMap(([sha256, { key, email }]) =>
      used.has(key) && !stored.has(sha256) ? [`an API key of ${email} is gone`] : [],
    ),
  ];
}

function freeGrantFaults({ records, granted }: Evidence): string[] {
  const stored = new Set(records.freeGrants);
  const wanted = new Map(
    records.accounts.flatMap(({ email }) =>
      (granted.get(email) ?? 0) > 0 ? [[createHash("sha256").update(email).digest("hex"), email] as const] : [],
    ),
  );
  return [
    ...[...wanted].flatMap(([sha256, email]) =>
      stored.has(sha256) ? [] : [`it is forgotten that ${email} got free seconds`],
    ),
    ...[...stored].flatMap((sha256) =>
      wanted.has(sha256) ? [] : [`an address that got none is remembered for free seconds: ${sha256}`],
    ),
  ];
}
