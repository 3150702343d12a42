import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { chartDirectory } from "./render-chart.ts";

const debian = "/usr/lib/postgresql";
const programs = readdirSync("/usr/lib").includes("postgresql")
  ? readdirSync(debian).map((version) => join(debian, version, "bin"))
  : [];
// A server does not run as root.
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

let service: BorrowedService;
beforeAll(async () => {
  service = await borrowService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** Runs the script with `program` in the place of one of PostgreSQL's, if given. Returns what it prints, and the backups. */
async function backUp(program?: { name: string; text: string }) {
  const folder = mkdtempSync(join(tmpdir(), "v2j-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [backups, work, bin] = ["backups", "work", "bin"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [backups, work, bin]) mkdirSync(path);
  for (const path of [folder, backups, work, bin]) chmodSync(path, 0o777);
  for (const name of ["old.dump", "young.dump"]) writeFileSync(join(backups, name), "");
  utimesSync(join(backups, "old.dump"), 1, 1);
  if (program) writeFileSync(join(bin, program.name), `#!/bin/sh\n${program.text}\n`, { mode: 0o755 });
  cpSync(join(chartDirectory, "files/nightly-backup"), join(folder, "nightly-backup"));
  const env = {
    PATH: [bin, ...programs, process.env.PATH].join(delimiter),
    TMPDIR: work,
    BACKUPS: backups,
    OWNER_DATABASE_URL: service.databaseUrl,
  };
  const ended = await promisify(execFile)("sh", [join(folder, "nightly-backup")], { env, cwd: folder, ...nobody }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }) => ({ code, text: stderr }),
  );
  return { ...ended, backups: readdirSync(backups).sort(), left: readdirSync(work) };
}

test.skipIf(programs.length === 0)("a nightly backup is kept after it was restored, and old ones go", async () => {
  const { code, text, backups, left } = await backUp();
  expect([code, text]).toEqual([0, expect.stringMatching(/ restores, with \d+ entries of the ledger\.\n$/)]);
  expect([backups, left]).toEqual([[expect.stringMatching(/^\d{4}-.*Z\.dump$/), "young.dump"], []]);
});

test.skipIf(programs.length === 0).each([
  ["cannot be read", { name: "pg_dump", text: 'for last; do :; done; echo broken > "$last"' }],
  [
    "misses entries of the ledger",
    { name: "pg_restore", text: 'exec psql -h "$2" -U postgres -d restored -c "create table ledger()"' },
  ],
])("a backup that %s fails the job, is not kept, and no older one is deleted for it", async (_, program) => {
  const { code, backups, left } = await backUp(program);
  expect(code).not.toBe(0);
  expect([backups, left]).toEqual([["old.dump", "young.dump"], []]);
});
