import { setTimeout as sleep } from "node:timers/promises";
import { extract, freeSeconds, install, query, secondsRemaining, shell, until } from "../installation.ts";
import { runCommand } from "../run-command.ts";
import type { Step } from "./step.ts";

/** Archives the log of a running installation, deletes its database, and restores it to a moment and to the end. */
export async function archive(step: Step): Promise<void> {
  const { docker, video, report } = step;
  await using removed = new AsyncDisposableStack();
  const volume = "video-to-json-try-archive_archive";
  removed.defer(() => runCommand(["docker", "volume", "rm", "--force", volume], docker).then(() => {}));
  await using installation = await install(step, "archive");
  const files = "docker compose -f infra/compose.yaml -f infra/compose.archive.yaml";
  await shell(docker, installation, `${files} up -d --no-deps postgres ledger`);
  const answers = async () => (await extract(installation, video)).status === 200;
  const spent = (jobs: number) => freeSeconds - 60 * jobs;
  await until("the service extracts with an archive", 60, answers);
  await shell(docker, installation, "infra/archive backup");
  report.same("a job after the base backup is answered", await answers(), true);
  const moment = await query(docker, installation, "select clock_timestamp()");
  await sleep(2000);
  report.same("a job after the moment is answered", await answers(), true);
  // At the latest a minute after the last write, PostgreSQL archives its log by itself.
  const archived = () => query(docker, installation, "select last_archived_wal from pg_stat_archiver");
  const last = await archived();
  await until("the log is archived within a minute", 75, async () => (await archived()) !== last);

  const restore = async (to: string, jobs: number) => {
    const began = performance.now();
    await shell(docker, installation, `${files} stop && infra/archive restore "${to}"`);
    await until("the API answers", 120, async () => (await fetch(`${installation.url}/readyz`)).ok);
    report.note(`restored in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    report.same(`the balance is that of ${to || "the end"}`, await secondsRemaining(installation), spent(jobs));
  };
  // The copy of the ledger charges the third job again.
  await restore(moment, 3);
  report.same("the restored service extracts", await answers(), true);
  await restore("", 4);
}
