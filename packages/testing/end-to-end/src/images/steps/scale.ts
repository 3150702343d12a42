import {
  compose,
  createKey,
  extract,
  freeSeconds,
  install,
  query,
  secondsRemaining,
  shell,
  slowProvider,
  until,
} from "../installation.ts";
import { runCommand } from "../run-command.ts";
import type { Step } from "./step.ts";

const scaleUp = "docker compose -f infra/compose.yaml up --wait --scale worker=5";

/** Starts the service, extracts, scales to five workers, kills the one that runs a job, and reads the first key. */
export async function scale(step: Step): Promise<void> {
  const { docker, video, report } = step;
  await using at = await install(step, "scale");
  report.same("the first key works and has the free minutes", await secondsRemaining(at), freeSeconds);
  report.same("an extraction answers", (await extract(at, video)).status, 200);

  await shell(docker, at, scaleUp);
  const { stdout: ids } = await compose(docker, at, "ps", "-q", "worker");
  const workers = ids.toString().trim().split("\n");
  report.same("five workers run", workers.length, 5);

  // Ten jobs on five workers, so that any worker has some.
  const jobs = Array.from({ length: 10 }, () => 30_000);
  await slowProvider(docker, at, jobs);
  const calls = Promise.all(jobs.map(() => extract(at, video)));
  // An error that occurs before they are awaited is reported first.
  calls.catch(() => undefined);
  const running = "select count(*) from jobs where started_at is not null and finished_at is null";
  await until("all jobs run", 60, async () => (await query(docker, at, running)) === String(jobs.length));
  const victim = await busiest({ docker }, workers);
  const killed = performance.now();
  await runCommand(["docker", "kill", victim.id], docker);
  const statuses = new Set((await calls).map(({ status }) => status));
  report.same(`a worker with ${victim.jobs} jobs was killed, and every call was answered`, statuses, new Set([200]));
  report.note(`the last answer came ${((performance.now() - killed) / 1000).toFixed(1)} s after the kill`);
  report.same("each job cost 60 s once", await secondsRemaining(at), freeSeconds - 60 * (jobs.length + 1));

  await shell(docker, at, scaleUp);
  const { stdout: again } = await compose(docker, at, "logs", "migrate");
  report.same("later starts show no other key", new Set(again.toString().match(/v2j_live_\w+/g)).size, 1);
  await createKey(docker, at);
}

async function busiest({ docker }: Pick<Step, "docker">, workers: readonly string[]) {
  const script =
    'fetch("http://127.0.0.1:9464/metrics").then((r) => r.text()).then((t) => console.log(/^video_to_json_places\\{[^}]*used[^}]*\\} (\\d+)/m.exec(t)[1]))';
  const counts = await Promise.all(
    workers.map(async (id) => {
      const { stdout } = await runCommand(["docker", "exec", id, "node", "--eval", script], docker);
      return { id, jobs: Number(stdout) };
    }),
  );
  const [most] = counts.sort((a, b) => b.jobs - a.jobs);
  if (!most || most.jobs === 0) throw new Error("No worker runs a job.");
  return most;
}
