import { join } from "node:path";
import { checkOut, copyWorkingTree, newestRelease } from "../check-out.ts";
import {
  createKey,
  documentedCommands,
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

/** In milliseconds. Some calls end while the old worker may still finish them. */
const delays = [5_000, 10_000, 20_000, 45_000, 60_000, 75_000];

/** Upgrades from the previous release while jobs are in flight, downgrades to it, and upgrades again. */
export async function upgrade(step: Step, commit: string | undefined): Promise<void> {
  const { docker, repository, directory, video, port, report } = step;
  const git = { repository, env: docker.env };
  const previous = commit ?? (await newestRelease(git));
  if (previous === undefined) return report.note("skipped: this clone has no tag of a release that CHANGELOG.md names");
  report.note(`the previous release is ${previous.slice(0, 12)}`);
  const name = "video-to-json-try-upgrade";
  const [before, after] = [join(directory, "before"), join(directory, "after")];
  await checkOut(git, previous, before);
  await copyWorkingTree(git, after);
  for (const at of [before, after]) await writeSettings({ directory: at, name, port });
  const change = async (installation: Installation, what: string, to: string) => {
    await slowProvider(docker, { name }, delays);
    const started = async () =>
      Number(await query(docker, { directory: before }, "select count(*) from jobs where started_at is not null"));
    const earlier = await started();
    const calls = Promise.all(delays.map(() => extract(installation, video)));
    // An error that occurs before they are awaited is reported first.
    calls.catch(() => undefined);
    await until("all jobs run", 60, async () => (await started()) === earlier + delays.length);
    await shell(docker, { directory: to }, documentedCommands(after, "Upgrade and rollback"));
    const failed = (await calls).filter(({ status }) => status !== 200);
    report.same(`${what} answered every call in flight`, failed, []);
  };
  try {
    await shell(docker, { directory: before }, "docker compose -f infra/compose.yaml up -d --build");
    const url = `http://127.0.0.1:${port}`;
    await until("the previous release answers", 120, async () => (await fetch(`${url}/v1/me`)).status === 401);
    const key = await createKey(docker, { directory: before });
    const installation: Installation = { name, url, directory: before, key };
    await startProvider(docker, { name });
    report.same("the previous release extracts", (await extract(installation, video)).status, 200);

    const spent = (count: number) => freeSeconds - 60 * count;
    await change(installation, "an upgrade", after);
    report.same("each job cost 60 s once", await secondsRemaining(installation), spent(1 + delays.length));
    report.same("the new release extracts", (await extract(installation, video)).status, 200);
    await change(installation, "a rollback", before);
    const left = await secondsRemaining(installation);
    report.same("after it, each job cost 60 s once", left, spent(2 + 2 * delays.length));
    report.same("the previous release extracts again", (await extract(installation, video)).status, 200);
    await shell(docker, { directory: after }, documentedCommands(after, "Upgrade and rollback"));
    report.same("the second upgrade extracts", (await extract(installation, video)).status, 200);
    report.same("no second is lost", await secondsRemaining(installation), spent(4 + 2 * delays.length));
  } finally {
    await removeInstallation(docker, { name, directory: after });
  }
}
