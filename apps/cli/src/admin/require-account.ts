import { type Account, type Db, findAccount, findAccountByEmail } from "@video-to-json/database";
import { CommandError } from "../exit/command-error.ts";

/** Returns the account with this e-mail address or id. Throws not_found. */
export async function requireAccount(db: Db, emailOrId: string): Promise<Account> {
  const find = emailOrId.includes("@") ? findAccountByEmail : findAccount;
  const account = await find(db, emailOrId);
  if (account) return account;
  throw new CommandError(
    "not_found",
    `There is no account ${emailOrId}. Check the e-mail address or id, or run \`video-to-json admin account create --email …\`.`,
  );
}
