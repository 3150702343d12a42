import { findAccountByEmail } from "../accounts/find-account.ts";
import { hasAccounts } from "../accounts/has-accounts.ts";
import { lockAccount } from "../accounts/lock-account.ts";
import type { Db } from "../connection/open-database.ts";
import { createKey } from "../keys/create-key.ts";
import { listKeys } from "../keys/list-keys.ts";
import { openAccount } from "./open-account.ts";

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
