import { connect } from "./connection/connect.ts";

/** Any number that no other advisory lock of this database uses. */
const lock = 7_325_402;

// What the processes do, and no more: money and the granting of free minutes are only ever added to.
const grants = (role: string) => [
  `grant usage on schema public to ${role}`,
  `revoke all on all tables in schema public from ${role}`,
  `grant select, insert on all tables in schema public to ${role}`,
  `grant update on accounts, api_keys, holds, idempotency_keys, jobs, maintenance to ${role}`,
  `grant delete on idempotency_keys to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
];

/**
 * Lets the user that `serviceUrl` names do in the migrated database at `ownerUrl` what the service's processes do: it may
 * neither change nor remove a row of the ledger, nor any table. Makes the user, with the password of the URL, where
 * there is none; one that exists keeps its password. May be called any number of times. Throws when the URL names the
 * owner, or no user.
 */
export async function grantServicePrivileges(ownerUrl: string, serviceUrl: string): Promise<void> {
  const { username, password } = new URL(serviceUrl);
  const user = decodeURIComponent(username);
  const { client } = connect(ownerUrl, {
    max: 1,
    applicationName: "video-to-json migrate",
    statementSeconds: 30,
    lockSeconds: 30,
  });
  try {
    await client.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(${lock})`;
      const [found] = await sql`
        select format('%I', ${user}::text) as role,
          format('create role %I login password %L', ${user}::text, ${decodeURIComponent(password)}::text) as create_role,
          exists (select from pg_roles where rolname = ${user}) as exists,
          ${user} in (current_user, '') as is_owner`;
      if (found?.is_owner) {
        throw new Error("DATABASE_URL names the owner of the tables. Name a user of its own for the processes in it.");
      }
      if (!found?.exists) await sql.unsafe(String(found?.create_role));
      for (const statement of grants(String(found?.role))) await sql.unsafe(statement);
    });
  } finally {
    await client.end({ timeout: 5 });
  }
}
