import { join } from "node:path";
import { checkOut, copyWorkingTree, newestRelease } from "../check-out.ts";
import {
  createKey,
  documentedCommands,
  extract,
  freeSeconds,
  type Installation,
  query,
  read,
  removeInstallation,
  secondsRemaining,
  shell,
  slowProvider,
  startProvider,
  until,
  writeSettings,
} from "../installation.ts";
import { makeVideo } from "../make-video.ts";
import type { Step } from "./step.ts";

type Call = Parameters<typeof extract>[2] & {
  /** How long the provider takes, in milliseconds. Some calls end while the old worker may still finish them. */
  ms: number;
  billedSeconds: number;
  /** The options of its API key; the first key if not given. */
  key?: string[];
};

const videoSeconds = 90;
/** One call for each feature that a process has to understand. */
const calls: Readonly<Record<string, Call>> = {
  plain: { ms: 5_000, billedSeconds: videoSeconds },
  clip: { ms: 10_000, billedSeconds: 60, fields: { clip: '{"start":"00:10","end":"01:10"}' } },
  detail: { ms: 20_000, billedSeconds: videoSeconds, fields: { detail: "high" } },
  evidence: { ms: 45_000, billedSeconds: videoSeconds, headers: { "extract-evidence": "fields" } },
  secondLook: { ms: 60_000, billedSeconds: videoSeconds, headers: { "second-look": "times" } },
  limitedKey: { ms: 75_000, billedSeconds: videoSeconds, key: ["--monthly-minutes", "100"] },
};
const billedSeconds = Object.values(calls).reduce((sum, call) => sum + call.billedSeconds, 0);
/** Keys that may not extract, and the code that a call with them gets. */
const refusedKeys = {
  "read-only": { options: ["--scope", "read"], code: "unauthorised" },
  "used-up": { options: ["--monthly-minutes", "1"], code: "out_of_minutes" },
};

type Keyed = Installation & { readonly keys: Readonly<Record<string, string>> };

/**
 * Upgrades from the previous release while jobs with every feature are in flight, goes back to it, and upgrades again.
 * Each time, each job is answered and billed as its call asked, and no refused key extracts.
 */
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
  const long = await makeVideo(step, { seconds: videoSeconds });
  const change = async (installation: Keyed, what: string, to: string) => {
    const before = await secondsRemaining(installation);
    await slowProvider(
      docker,
      { name },
      Object.values(calls).map(({ ms }) => ms),
    );
    const started = async () =>
      Number(await query(docker, installation, "select count(*) from jobs where started_at is not null"));
    const earlier = await started();
    const answers = Promise.all(
      Object.entries(calls).map(([feature, call]) =>
        extract({ ...installation, key: installation.keys[feature] ?? installation.key }, long, call),
      ),
    );
    // An error that occurs before they are awaited is reported first.
    answers.catch(() => undefined);
    await until("all jobs run", 90, async () => (await started()) === earlier + Object.keys(calls).length);
    await shell(docker, { directory: to }, documentedCommands(after, "Upgrade and rollback"));
    const ended = await answers;
    const bills = ended.map(({ status, body }) => (status === 200 ? body.billed_seconds : body));
    const asked = Object.values(calls).map((call) => call.billedSeconds);
    report.same(`${what} answered and billed every call in flight as asked`, bills, asked);
    report.same(`${what} cost nothing else`, before - (await secondsRemaining(installation)), billedSeconds);
    const evidence = await Promise.all(
      ended.flatMap((answer) => answer.evidence ?? []).map((at) => read(installation, at)),
    );
    const whole = evidence.map(({ status }) => status === "complete" || status === "partial");
    report.same(`${what} lost no evidence`, whole, [true]);
    for (const [kind, { code }] of Object.entries(refusedKeys)) {
      const { body } = await extract({ ...installation, key: installation.keys[kind] ?? "" }, long);
      report.same(`after ${what}, a ${kind} key extracts nothing`, (body.error as { code?: string })?.code, code);
    }
  };
  try {
    await shell(docker, { directory: before }, "docker compose -f infra/compose.yaml up -d --build");
    const url = `http://127.0.0.1:${port}`;
    await until("the previous release answers", 120, async () => (await fetch(`${url}/v1/me`)).status === 401);
    const key = await createKey(docker, { directory: before });
    await startProvider(docker, { name });
    const keys: Record<string, string> = {};
    for (const [feature, call] of Object.entries(calls)) {
      if (call.key) keys[feature] = await createKey(docker, { directory: before }, call.key);
    }
    for (const [kind, { options }] of Object.entries(refusedKeys)) {
      keys[kind] = await createKey(docker, { directory: before }, options);
    }
    const installation = { name, url, directory: before, key, keys };
    const extracts = async (what: string) =>
      report.same(`${what} extracts`, (await extract(installation, video)).status, 200);

    await extracts("the previous release");
    await change(installation, "an upgrade", after);
    await extracts("the new release");
    await change(installation, "a rollback", before);
    await extracts("the previous release");
    await shell(docker, { directory: after }, documentedCommands(after, "Upgrade and rollback"));
    await extracts("the second upgrade");
    report.same("no second is lost", await secondsRemaining(installation), freeSeconds - 4 * 60 - 2 * billedSeconds);
  } finally {
    await removeInstallation(docker, { name, directory: after });
  }
}
