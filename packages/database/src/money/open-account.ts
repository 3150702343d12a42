import { createHash } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { and, eq, inArray, sql } from "drizzle-orm";
import {
  type Account,
  findAccountByEmail,
  hasAccounts,
  insertAccount,
  lockAccount,
  normaliseEmail,
} from "../accounts/accounts.ts";
import type { Db, Tx } from "../connection/open-database.ts";
import { createKey, listKeys } from "../keys/keys.ts";
import { freeGrants } from "../tables/accounts.ts";
import { ledger } from "../tables/money.ts";
import { freeGrantCounts } from "../tables/sign-in.ts";

const emailForm = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const maxEmailLength = 254;
/** Different from every other advisory lock of this database. */
const signUpLockId = 7_325_403;

/**
 * Finds or creates the account of an e-mail address, and grants `freeSeconds` if the address never got them: once ever,
 * even if an earlier account was deleted (specification, "Limits"; docs/decisions/0001, "Dashboard and accounts"). Any
 * number of calls may race.
 *
 * @returns the account, and whether this call granted the seconds.
 * @throws Problem `invalid_request` if the text is not an e-mail address.
 */
export async function openAccount(
  db: Db,
  { email, freeSeconds }: { email: string; freeSeconds: number },
): Promise<{ account: Account; granted: boolean }> {
  return db.transaction(async (tx) => {
    const account = await findOrInsertAccount(tx, email);
    const granted = freeSeconds > 0 && (await grantOnce(tx, account, freeSeconds));
    return { account, granted };
  });
}

/** A limit of free grants a day. */
export type GrantCap = {
  readonly kind: "domain" | "network" | "service";
  /** The domain or network that has the limit. */
  readonly owner: string;
  readonly limit: number;
};

type SignUp = {
  email: string;
  /** The address without what makes several addresses of one mailbox. */
  mailbox: string;
  freeSeconds: number;
  caps: readonly GrantCap[];
};

/**
 * Finds or creates the account of a person who signs up without the operator. Grants `freeSeconds` once a mailbox, and
 * within the caps. The account exists in either case. Any number of calls may race.
 *
 * @returns the account, and "granted" or why this call granted nothing: no seconds are free, the mailbox or the address
 *   has its grant, or the cap of this kind is reached.
 * @throws Problem `invalid_request` if the text is not an e-mail address.
 */
export async function signUp(
  db: Db,
  { email, mailbox, freeSeconds, caps }: SignUp,
): Promise<{ account: Account; outcome: "granted" | "none" | "mailbox" | GrantCap["kind"] }> {
  return db.transaction(async (tx) => {
    const account = await findOrInsertAccount(tx, email);
    if (freeSeconds === 0) return { account, outcome: "none" };
    // One after the other, so that the counts are exact. The first sign-in of an address is rare.
    await tx.execute(sql`select pg_advisory_xact_lock(${signUpLockId})`);
    const hashes = [account.email, mailbox].map((text) => sha256(normaliseEmail(text)));
    const earlier = await tx.select().from(freeGrants).where(inArray(freeGrants.emailSha256, hashes)).limit(1);
    if (earlier.length > 0) return { account, outcome: "mailbox" };
    const reached = await countGrant(tx, caps);
    if (reached) return { account, outcome: reached };
    // The operator's command takes no lock, and may grant to the same address now.
    if (!(await grantOnce(tx, account, freeSeconds))) return { account, outcome: "mailbox" };
    await tx
      .insert(freeGrants)
      .values({ emailSha256: sha256(mailbox) })
      .onConflictDoNothing();
    return { account, outcome: "granted" };
  });
}

/** Counts a grant for each cap, or for none if one is reached, whose kind it returns. */
async function countGrant(tx: Tx, caps: readonly GrantCap[]): Promise<GrantCap["kind"] | undefined> {
  const today = sql<string>`(now() at time zone 'utc')::date`;
  for (const { kind, owner, limit } of caps) {
    const isOwner = eq(freeGrantCounts.ownerSha256, sha256(`${kind} ${owner}`));
    const [counted] = await tx
      .select()
      .from(freeGrantCounts)
      .where(and(eq(freeGrantCounts.day, today), isOwner));
    if ((counted?.grants ?? 0) >= limit) return kind;
  }
  for (const { kind, owner } of caps) {
    await tx
      .insert(freeGrantCounts)
      .values({ day: today, ownerSha256: sha256(`${kind} ${owner}`), grants: 1 })
      .onConflictDoUpdate({
        target: [freeGrantCounts.day, freeGrantCounts.ownerSha256],
        set: { grants: sql`${freeGrantCounts.grants} + 1` },
      });
  }
  return undefined;
}

async function findOrInsertAccount(tx: Tx, email: string): Promise<Account> {
  const address = normaliseEmail(email);
  if (!emailForm.test(address) || address.length > maxEmailLength) {
    throw new Problem("invalid_request", {
      reason: "The e-mail address is not valid. Use one such as name@example.com.",
    });
  }
  const account = (await insertAccount(tx, { email: address })) ?? (await findAccountByEmail(tx, address));
  if (!account) throw new Error("the account was deleted while it was opened");
  return account;
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

async function grantOnce(tx: Tx, account: Account, seconds: number): Promise<boolean> {
  const emailSha256 = sha256(normaliseEmail(account.email));
  const first = await tx.insert(freeGrants).values({ emailSha256 }).onConflictDoNothing().returning();
  if (first.length === 0) return false;
  const reference = `free:${emailSha256.toString("hex")}`;
  await tx.insert(ledger).values({ accountId: account.id, seconds, kind: "grant", reference });
  return true;
}

type FirstAccount = {
  email: string;
  freeSeconds: number;
  /** The prefix of the key, before `_live_`. */
  keyPrefix: string;
};

/**
 * Makes the first account of an installation and its first key. Does nothing if the account has a key, or if the
 * installation has accounts but none with this address. Any number of calls may race, and each may die between any two
 * lines.
 *
 * @param show receives the key before it is stored. A call that dies in between leaves a key that was shown and is
 *   refused; the next call shows another one. So the key that was shown last works.
 * @returns whether this call created the key.
 * @throws Problem `invalid_request` if the text is not an e-mail address.
 */
export async function openFirstAccount(
  db: Db,
  { email, freeSeconds, keyPrefix }: FirstAccount,
  show: (key: string) => void,
): Promise<boolean> {
  if (!(await findAccountByEmail(db, email)) && (await hasAccounts(db))) return false;
  const { account } = await openAccount(db, { email, freeSeconds });
  return db.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    if ((await listKeys(tx, account.id)).length > 0) return false;
    const { key } = await createKey(tx, { accountId: account.id, name: "first", keyPrefix });
    show(key);
    return true;
  });
}
