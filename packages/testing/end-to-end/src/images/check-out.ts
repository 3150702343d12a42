import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
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

/** Returns the newest release that CHANGELOG.md names, such as `v0.1.0`, if this clone has its tag. */
export async function newestRelease({ repository, env }: Git): Promise<string | undefined> {
  const [, tag] = /^### (v\d+\.\d+\.\d+)$/m.exec(await readFile(join(repository, "CHANGELOG.md"), "utf8")) ?? [];
  if (tag === undefined) return undefined;
  return runCommand(["git", "rev-parse", "--verify", "--quiet", `${tag}^{commit}`], { cwd: repository, env }).then(
    () => tag,
    () => undefined,
  );
}
