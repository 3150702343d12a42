import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { serviceSecrets } from "../tables/sign-in.ts";

/**
 * Returns the secret that signs the cookies of sessions, 256 bits. The first process that asks creates it; all others
 * get the same one.
 */
export async function sessionSecret(db: Db): Promise<string> {
  const name = "sessions";
  const value = randomBytes(32).toString("base64url");
  await db.insert(serviceSecrets).values({ name, value }).onConflictDoNothing();
  const [secret] = await db.select().from(serviceSecrets).where(eq(serviceSecrets.name, name));
  if (!secret) throw new Error("the secret of the sessions was not stored");
  return secret.value;
}
