import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Service } from "@video-to-json/stack/service";
import postgres from "postgres";
import { onTestFinished } from "vitest";

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export async function askedOf({ emulator }: Pick<Service, "emulator">): Promise<number> {
  return (await emulator.state()).requests.generate ?? 0;
}

/** Connects to a database until the end of the test. */
export function connect(databaseUrl: string): postgres.Sql {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}

export async function logsOf({ video }: Pick<Service, "video">): Promise<string[]> {
  const directory = join(dirname(video), "logs");
  const names = (await readdir(directory)).filter((name) => /^(api|worker)-/.test(name));
  return Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
}
