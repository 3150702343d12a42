import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

type Failure = { dataDir: string; keepDir: string; databaseUrl: string; facts: object };

/** Keeps the evidence of a failed run: the logs, the facts and, if `pg_dump` is installed, the database. */
export async function keepFailure({ dataDir, keepDir, databaseUrl, facts }: Failure): Promise<void> {
  mkdirSync(join(keepDir, "logs"), { recursive: true, mode: 0o700 });
  // Some logs are links to a disk that is unmounted later, so they are copied as files.
  for (const name of readdirSync(join(dataDir, "logs"))) {
    copyFileSync(join(dataDir, "logs", name), join(keepDir, "logs", name));
  }
  writeFileSync(join(keepDir, "run.json"), JSON.stringify(facts, withoutBytes, 2));
  const args = ["--inserts", "--no-owner", "--file", join(keepDir, "database.sql"), databaseUrl];
  await promisify(execFile)("pg_dump", args).catch((error: Error) => {
    writeFileSync(join(keepDir, "database.sql"), `-- no dump: ${error.message}\n`);
  });
}

function withoutBytes(name: string, value: unknown): unknown {
  return name === "bytes" ? undefined : value;
}
