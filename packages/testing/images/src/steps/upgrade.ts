import { join } from "node:path";
import { checkOut, copyWorkingTree, previousRelease } from "../check-out.ts";
import { documentedCommands } from "../documented-commands.ts";
import {
  createKey,
  extract,
  freeSeconds,
  type Installation,
  query,
  removeInstallation,
  secondsRemaining,
  shell,
  slowProvider,
  startProvider,
  until,
  writeSettings,
} from "../installation.ts";
import type { Step } from "./step.ts";

/** Upgrades from the previous release while jobs are in flight, goes back to it, and upgrades again. */
export async function upgrade(step: Step, commit: string | undefined): Promise<void> {
  const { docker, repository, directory, video, port, report } = step;
  const git = { repository, env: docker.env };
  const previous = commit ?? (await previousRelease(git));
  if (previous === undefined) return report.note("skipped: this clone has no history, so it has no previous release");
  report.note(`the previous release is ${previous.slice(0, 12)}`);
  const name = "video-to-json-try-upgrade";
  const [before, after] = [join(directory, "before"), join(directory, "after")];
  await checkOut(git, previous, before);
  await copyWorkingTree(git, after);
  for (const at of [before, after]) await writeSettings({ directory: at, name, port });
  try {
    await shell(docker, { directory: before }, "docker compose -f infra/compose.yaml up -d --build");
    const url = `http://127.0.0.1:${port}`;
    await until("the previous release answers", 120, async () => (await fetch(`${url}/v1/me`)).status === 401);
    const installation: Installation = {
      ...{ name, url, directory: before },
      key: await createKey(docker, { directory: before }),
    };
    await startProvider(docker, { name });
    report.same("the previous release extracts", (await extract(installation, video)).status, 200);

    // Some jobs end while the old worker may still finish them, some do not.
    const delays = [5_000, 10_000, 20_000, 45_000, 60_000, 75_000];
    await slowProvider(docker, { name }, delays);
    const calls = delays.map(() => extract(installation, video));
    const open = "select count(*) from jobs where started_at is not null and finished_at is null";
    await until(
      "all jobs run",
      60,
      async () => (await query(docker, { directory: before }, open)) === String(delays.length),
    );
    await shell(docker, { directory: after }, documentedCommands(after, "Upgrade and rollback"));
    const ends = await Promise.all(calls);
    report.same(
      "an upgrade answered every call in flight",
      ends.map(({ status }) => status),
      delays.map(() => 200),
    );
    const spent = (count: number) => freeSeconds - 60 * count;
    report.same("each job cost 60 s once", await secondsRemaining(installation), spent(1 + delays.length));
    report.same("the new release extracts", (await extract(installation, video)).status, 200);

    await shell(docker, { directory: before }, documentedCommands(after, "Upgrade and rollback"));
    await until("the previous release answers again", 120, async () => (await secondsRemaining(installation)) > 0);
    report.same("after a rollback the previous release extracts", (await extract(installation, video)).status, 200);
    await shell(docker, { directory: after }, documentedCommands(after, "Upgrade and rollback"));
    report.same("the second upgrade extracts", (await extract(installation, video)).status, 200);
    report.same("no second is lost", await secondsRemaining(installation), spent(4 + delays.length));
  } finally {
    await removeInstallation(docker, { name, directory: after });
  }
}
