import { createApiKey } from "@video-to-json/contract";
import { insertKey, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";

/** Opens an account with minutes for every case. Returns a key of it. */
export async function openPayingAccount(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1, applicationName: "quality" });
  try {
    const { account } = await openAccount(database.db, { email: "quality@example.com", freeSeconds: 60_000_000 });
    const { key, sha256, display } = createApiKey("v2j");
    await insertKey(database.db, { accountId: account.id, name: "quality", sha256, display });
    return key;
  } finally {
    await database.close();
  }
}
