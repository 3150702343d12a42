import { connect } from "./connection/connect.ts";

/** Different from every other advisory lock of this database. */
const lockId = 7_325_402;

// Only the privileges that API and workers need. They may add to the ledger and to the free grants, but never change or
// delete rows there.
const grants = (role: string) => [
  `grant usage on schema public to ${role}`,
  `revoke all on all tables in schema public from ${role}`,
  `grant select, insert on all tables in schema public to ${role}`,
  `grant update on accounts, api_keys, dashboard_passkeys, dashboard_sessions, dashboard_users, free_grant_counts, holds, idempotency_keys, jobs, maintenance, queue_accounts, queue_jobs, refused_requests, workers to ${role}`,
  `grant delete on dashboard_codes, dashboard_passkeys, dashboard_sessions, dashboard_users, free_grant_counts, idempotency_keys, job_waiters, minute_mails, queue_jobs, refused_requests, saved_schemas, workers to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
  // Readiness compares the migrations with those that a process needs.
  `grant usage on schema drizzle to ${role}`,
  `grant select on all tables in schema drizzle to ${role}`,
];

/**
 * Grants the user of `serviceUrl` what API and workers need in the migrated database at `ownerUrl`. That user can
 * neither change nor delete rows of the ledger, and cannot alter tables. Creates the user with the URL's password if it
 * does not exist; an existing user keeps its password. Safe to repeat.
 *
 * @throws when `serviceUrl` names the owner or no user.
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
      await sql`select pg_advisory_xact_lock(${lockId})`;
      const [found] = await sql`
        select format('%I', ${user}::text) as role,
          format('create role %I login password %L', ${user}::text, ${decodeURIComponent(password)}::text) as create_role,
          exists (select from pg_roles where rolname = ${user}) as exists,
          ${user} in (current_user, '') as is_owner`;
      if (found?.is_owner) {
        throw new Error("DATABASE_URL names the owner of the tables. Use another user for API and workers.");
      }
      if (!found?.exists) await sql.unsafe(String(found?.create_role));
      for (const statement of grants(String(found?.role))) await sql.unsafe(statement);
    });
  } finally {
    await client.end({ timeout: 5 });
  }
}
