import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Returns the absolute path of a command, from PATH or then from `further` directories; undefined when not found. */
export function findCommand(name: string, further: readonly string[] = []): string | undefined {
  const directories = [...(process.env.PATH ?? "").split(delimiter), ...further];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** Returns the directories in which package managers install the Postgres server, newest version first. */
export function postgresDirectories(): string[] {
  const debian = versionsUnder("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`);
  const brew = ["/opt/homebrew/opt", "/usr/local/opt"].flatMap((opt) =>
    versionsUnder(opt, "postgresql@").map((version) => `${opt}/postgresql@${version}/bin`),
  );
  return [...debian, ...brew];
}

function versionsUnder(directory: string, prefix = ""): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .filter((version) => /^\d+$/.test(version))
      .sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
