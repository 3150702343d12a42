import { execFile } from "node:child_process";
import { chown, copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTestDatabase, startPooler, startPostgres } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./open-database.ts";

const run = promisify(execFile);
const hasOpenssl = await run("openssl", ["version"]).then(
  () => true,
  () => false,
);

function open(url: string) {
  const database = openDatabase(url, { maxConnections: 3, applicationName: "test" });
  onTestFinished(() => database.close());
  return database;
}

async function behindPooler(name: "pgbouncer" | "pgpool", mode?: "transaction") {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const pooler = await startPooler(url, name, mode);
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  return open(pooler.url);
}

test("behind PgBouncer in session mode, each connection has the time limits and the isolation of the service", async () => {
  const { db, inspect } = await behindPooler("pgbouncer");
  await expect(inspect()).resolves.toMatchObject({ startedAtMs: expect.any(Number) });
  const settings = await db.execute<{ setting: string }>(sql`
    select setting from pg_settings where name in ('statement_timeout', 'lock_timeout', 'plan_cache_mode', 'TimeZone',
      'idle_in_transaction_session_timeout') order by lower(name)`);
  expect(settings.map(({ setting }) => setting)).toEqual(["10000", "15000", "auto", "30000", "UTC"]);
});

test("PgBouncer in transaction mode is refused, and the error says what to name instead", async () => {
  const { inspect } = await behindPooler("pgbouncer", "transaction");
  await expect(inspect()).rejects.toThrow(/pooler in transaction mode.*or a pooler in session mode/s);
});

test("pgpool-II, which loses what one connection stores in several statements, is refused", async () => {
  const { inspect } = await behindPooler("pgpool");
  await expect(inspect()).rejects.toThrow(/does not commit each statement.*in session mode, such as PgBouncer/s);
});

test.runIf(hasOpenssl)(
  "the addresses that libpq and providers show reach a server with a CA of its own",
  async (context) => {
    const folder = await mkdtemp(join(tmpdir(), "company-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const certify = async (name: string, host: string) => {
      const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
      const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
      await run("openssl", [
        "req",
        ...kind,
        ...names,
        "-keyout",
        `${folder}/${name}.key`,
        "-out",
        `${folder}/${name}.pem`,
      ]);
    };
    await certify("server", "localhost");
    await certify("other", "localhost");
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    if (server.container) return context.skip("its directory is in a container");
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    onTestFinished(() => admin.end());
    const [{ data_directory: data } = { data_directory: "" }] = await admin<{ data_directory: string }[]>`
    show data_directory`;
    const { uid, gid } = await stat(data);
    for (const name of ["server.key", "server.pem"]) {
      await copyFile(join(folder, name), join(data, name));
      await chown(join(data, name), uid, gid);
    }
    await admin.unsafe("alter system set ssl_cert_file = 'server.pem'");
    await admin.unsafe("alter system set ssl_key_file = 'server.key'");
    await admin.unsafe("alter system set ssl = on");
    await admin`select pg_reload_conf()`;
    await expect.poll(async () => (await admin`show ssl`)[0]).toEqual({ ssl: "on" });

    const [right, other] = [`${folder}/server.pem`, `${folder}/other.pem`];
    const reach = async (host: string, parameters: string) => {
      const url = server.url.replace("127.0.0.1", host) + (parameters && `?${parameters}`);
      try {
        const { db } = open(url);
        const [row] = await db.execute<{ ssl: boolean }>(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`);
        return row?.ssl ? "encrypted" : "plain";
      } catch (error) {
        const { cause, message } = error as Error;
        return `${message} ${cause instanceof Error ? cause.message : ""}`;
      }
    };
    const unknown = /certificate/;
    for (const [host, parameters, expected] of [
      ["localhost", "", /^plain$/],
      ["localhost", "sslmode=disable", /^plain$/],
      ["localhost", "sslmode=require", /^encrypted$/],
      ["localhost", `sslmode=verify-full&sslrootcert=${right}`, /^encrypted$/],
      ["127.0.0.1", `sslmode=verify-full&sslrootcert=${right}`, /IP: 127\.0\.0\.1|altnames/],
      ["127.0.0.1", `sslmode=verify-ca&sslrootcert=${right}`, /^encrypted$/],
      ["127.0.0.1", `sslmode=require&sslrootcert=${right}`, /^encrypted$/],
      ["localhost", `sslmode=require&sslrootcert=${other}`, unknown],
      ["localhost", `sslmode=verify-ca&sslrootcert=${other}`, unknown],
      ["localhost", "sslmode=verify-full", unknown],
      ["localhost", "sslmode=verify-full&sslrootcert=system", unknown],
      ["localhost", "sslmode=require&channel_binding=require", unknown],
      ["localhost", `sslmode=require&channel_binding=require&sslrootcert=${right}`, /^encrypted$/],
      ["localhost", "sslmode=require&channel_binding=prefer", /^encrypted$/],
      ["localhost", `sslmode=verify-full&sslrootcert=${folder}/none.pem`, /sslrootcert names cannot be read/],
      ["localhost", "sslmode=verify", /sslmode=verify, which is not disable/],
      ["localhost", "sslcrl=x.pem", /sslcrl, which this service does not support/],
    ] as const) {
      expect(await reach(host, parameters), `${host}?${parameters}`).toMatch(expected);
    }
  },
);
