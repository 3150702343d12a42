import { join } from "node:path";
import { copyWorkingTree } from "../check-out.ts";
import {
  documentedCommands,
  extract,
  install,
  query,
  removeInstallation,
  secondsRemaining,
  shell,
  startProvider,
  until,
  writeSettings,
} from "../installation.ts";
import { runCommand } from "../run-command.ts";
import type { Step } from "./step.ts";

const balances = `select string_agg(a.email || ' ' || coalesce(s.sum, 0), ',' order by a.email)
  from accounts a left join (select account_id, sum(seconds) from ledger group by 1) s on s.account_id = a.id`;

/** Backs up a running installation and restores it into an empty one, with the commands of docs/upgrades-and-backups.md. */
export async function backUp(step: Step): Promise<void> {
  const { docker, repository, directory, video, port, report } = step;
  const empty = { name: "video-to-json-try-empty", directory: join(directory, "empty") };
  await copyWorkingTree({ repository, env: docker.env }, empty.directory);
  await writeSettings({ ...empty, port });
  try {
    await using full = await install(step, "full");
    for (let count = 0; count < 3; count++) await extract(full, video);
    const [money, remaining] = [await query(docker, full, balances), await secondsRemaining(full)];
    const { stderr } = await shell(docker, full, documentedCommands(full.directory, "Back up"));
    report.same("the backup says nothing wrong", wrongLines(stderr), []);
    await runCommand(["cp", join(full.directory, "backup.dump"), empty.directory], docker);
    await removeInstallation(docker, full);

    const restored = await shell(docker, empty, documentedCommands(empty.directory, "Restore"));
    report.same("the restore says nothing wrong", wrongLines(`${restored.stdout}\n${restored.stderr}`), []);
    await until("the restored API answers", 60, async () => (await fetch(`${full.url}/readyz`)).ok);
    report.same("all balances are equal", await query(docker, empty, balances), money);
    report.same("the key works, and shows the same minutes", await secondsRemaining(full), remaining);
    await startProvider(docker, empty);
    report.same("the restored service extracts", (await extract(full, video)).status, 200);
  } finally {
    await removeInstallation(docker, empty);
  }
}

function wrongLines(text: string): string[] {
  return text.split("\n").filter((line) => /error|warning|fatal|does not exist/i.test(line));
}
