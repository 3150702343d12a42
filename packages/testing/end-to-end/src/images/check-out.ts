import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";

type Git = { repository: string; env: NodeJS.ProcessEnv };

/** Copies the current sources, committed or not, into a new directory. */
export async function copyWorkingTree({ repository, env }: Git, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const script =
    'git ls-files -z --cached --others --exclude-standard --deduplicate | tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$0"';
  await runCommand(["sh", "-c", script, directory], { cwd: repository, env });
}

/** Copies the sources of a commit into a new directory. */
export async function checkOut({ repository, env }: Git, commit: string, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await runCommand(["sh", "-c", 'git archive "$1" | tar -x -C "$0"', directory, commit], { cwd: repository, env });
  if (!existsSync(join(directory, "infra/compose.yaml"))) throw new Error(`${commit} has no infra/compose.yaml.`);
}

/**
 * Returns the commit of the previous release: the newest tag `v*` before this commit. Without one, the commit before the
 * newest migration, so that an upgrade crosses one. Undefined in a clone without history.
 */
export async function previousRelease({ repository, env }: Git): Promise<string | undefined> {
  const says = (...args: string[]) =>
    runCommand(["git", ...args], { cwd: repository, env }).then(
      ({ stdout }) => stdout.toString().trim(),
      () => "",
    );
  const tag = await says("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^");
  if (tag) return tag;
  const migration = await says(
    "log",
    "-1",
    "--diff-filter=A",
    "--format=%H",
    "--",
    "packages/database/migrations/*.sql",
  );
  return (migration && (await says("rev-parse", "--verify", "--quiet", `${migration}^`))) || undefined;
}
