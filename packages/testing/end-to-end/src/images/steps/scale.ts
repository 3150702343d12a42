import { join } from "node:path";
import { copyWorkingTree } from "../check-out.ts";
import {
  compose,
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
import { runCommand } from "../run-command.ts";
import type { Step } from "./step.ts";

/** Starts the service, extracts, scales to five workers, kills the one that runs a job, and reads the first key. */
export async function scale({ docker, repository, directory, video, port, report }: Step): Promise<void> {
  const name = "video-to-json-try-scale";
  const at = { name, directory: join(directory, "scale"), url: `http://127.0.0.1:${port}` };
  await copyWorkingTree({ repository, env: docker.env }, at.directory);
  await writeSettings({ ...at, port });
  try {
    await shell(docker, at, "docker compose -f infra/compose.yaml up --wait");
    await until("the API answers", 60, async () => (await fetch(`${at.url}/readyz`)).ok);
    const { stdout } = await compose(docker, at, "logs", "migrate");
    const key = /v2j_live_\w+/.exec(stdout.toString())?.[0] ?? "";
    const installation: Installation = { ...at, key };
    report.same("the first key works and has the free minutes", await secondsRemaining(installation), freeSeconds);
    await startProvider(docker, at);
    report.same("an extraction answers", (await extract(installation, video)).status, 200);

    await shell(docker, at, "docker compose -f infra/compose.yaml up --wait --scale worker=5");
    const { stdout: ids } = await compose(docker, at, "ps", "-q", "worker");
    const workers = ids.toString().trim().split("\n");
    report.same("five workers run", workers.length, 5);

    // Ten jobs on five workers, so that any worker has some.
    const jobs = 10;
    await slowProvider(
      docker,
      at,
      Array.from({ length: jobs }, () => 30_000),
    );
    const calls = Promise.all(Array.from({ length: jobs }, () => extract(installation, video)));
    // An error that occurs before they are awaited is reported first.
    calls.catch(() => undefined);
    const running = "select count(*) from jobs where started_at is not null and finished_at is null";
    await until("all jobs run", 60, async () => (await query(docker, at, running)) === String(jobs));
    const victim = await busiest({ docker }, workers);
    const killed = performance.now();
    await runCommand(["docker", "kill", victim.id], { cwd: "/", env: docker.env });
    const ends = await calls;
    report.same(
      `a worker with ${victim.jobs} jobs was killed, and every call was answered`,
      new Set(ends.map(({ status }) => status)),
      new Set([200]),
    );
    report.note(`the last answer came ${((performance.now() - killed) / 1000).toFixed(1)} s after the kill`);
    report.same("each job cost 60 s once", await secondsRemaining(installation), freeSeconds - 60 * (jobs + 1));

    await shell(docker, at, "docker compose -f infra/compose.yaml up --wait --scale worker=5");
    const { stdout: again } = await compose(docker, at, "logs", "migrate");
    report.same("later starts show no other key", new Set(again.toString().match(/v2j_live_\w+/g)).size, 1);
    await createKey(docker, at);
  } finally {
    await removeInstallation(docker, at);
  }
}

/** Returns the worker that runs the most jobs. */
async function busiest({ docker }: Pick<Step, "docker">, workers: readonly string[]) {
  const script =
    'fetch("http://127.0.0.1:9464/metrics").then((r) => r.text()).then((t) => console.log(/^video_to_json_places\\{[^}]*used[^}]*\\} (\\d+)/m.exec(t)[1]))';
  const counts = await Promise.all(
    workers.map(async (id) => {
      const { stdout } = await runCommand(["docker", "exec", id, "node", "--eval", script], {
        cwd: "/",
        env: docker.env,
      });
      return { id, jobs: Number(stdout) };
    }),
  );
  const [most] = counts.sort((a, b) => b.jobs - a.jobs);
  if (!most || most.jobs === 0) throw new Error("No worker runs a job.");
  return most;
}
