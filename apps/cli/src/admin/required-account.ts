import { Problem } from "@video-to-json/contract";
import { type Account, type Db, findAccount, findAccountByEmail } from "@video-to-json/database";

/** The account that an operator names by e-mail address or id; throws not_found. */
export async function requiredAccount(db: Db, emailOrId: string): Promise<Account> {
  const find = emailOrId.includes("@") ? findAccountByEmail : findAccount;
  const account = await find(db, emailOrId);
  if (account) return account;
  throw new Problem(
    "not_found",
    `There is no account ${emailOrId}. Check it, or run \`video-to-json admin account create --email …\`.`,
  );
}
