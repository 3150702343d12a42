import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runHere, startHere } from "../testing/run-here.ts";
import type { Env } from "../testing/start-cli.ts";

const schema = '{"10":"red|green|blue","2":"integer"}';

let service: BorrowedService;
let home: string;
beforeAll(async () => {
  service = await borrowService();
  home = await mkdtemp(join(tmpdir(), "v2j-several-"));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

test("several videos print a line each in the order in which they are done, and the worst error is the exit code", async () => {
  const junk = join(home, "junk.mp4");
  await writeFile(junk, "no video at all");
  const [slow, quick] = await Promise.all([copyOf("slow"), copyOf("quick")]);
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 3000, times: 1 }]);
  const { generate = 0 } = (await service.emulator.state()).requests;
  const env_ = await account();
  const running = startHere(["extract", slow, quick, junk, "-s", schema, "--concurrency", "2"], env_);
  await service.emulator.waitFor({ "requests.generate": generate + 1 });
  const { code, stdout, stderr } = await running.ended;
  expect(code).toBe(4);
  const lines = stdout.trimEnd().split("\n");
  const sources = lines.map((line) => JSON.parse(line).source as string);
  expect(sources.toSorted()).toEqual([quick, slow].toSorted());
  expect(lines[0]).toMatch(/^\{"source":"[^"]+","id":"[^"]+","data":\{"10":"\w+","2":\d+\},"video":.+\}$/);
  for (const video of [slow, quick]) {
    expect(stderr).toContain(`${video}: Uploading ${video.slice(home.length + 1)} (`);
    expect(stderr).toMatch(new RegExp(`^${video}: 0:05 of video, 60 s charged; job [0-9a-f-]{36}$`, "m"));
  }
  expect(stderr).toMatch(new RegExp(`^${junk}: error \\(media_unreadable\\): .+\njob id: `, "m"));
  expect(stderr).toMatch(/error \(videos_failed\): 1 of 3 videos failed\.\n$/);
  // A video's line does not wait for the other video's.
  expect(stderr.indexOf(`${sources[0]}: 0:05`)).toBeLessThan(stderr.indexOf(`${sources[1]}: 0:05`));
  expect(stderr.indexOf(`${sources[0]}: 0:05`)).toBeLessThan(stderr.indexOf(`${junk}: Uploading`));
});

test("with --json, errors are lines of JSON that name their video, and --quiet leaves only errors", async () => {
  const junk = join(home, "junk.mp4");
  await writeFile(junk, "no video at all");
  const good = await copyOf("good");
  const answers = join(home, "answers.jsonl");
  const words = ["extract", good, junk, "-s", schema, "--idempotency-key", "both", "--output", answers];
  const env_ = await account();
  const json = await runHere([...words, "--json", "--jq", "[.source, .billed_seconds]"], env_);
  expect([json.code, json.stdout]).toEqual([4, ""]);
  const [error, end] = json.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(error).toMatchObject({ source: junk, error: { code: "media_unreadable" }, job_id: expect.any(String) });
  expect(end).toEqual({ error: { code: "videos_failed", message: "1 of 2 videos failed." } });
  expect(await readFile(answers, "utf8")).toBe(`${JSON.stringify([good, 60])}\n`);
  const quiet = await runHere([...words, "--quiet"], env_);
  expect(quiet.stderr).toMatch(/^\S+junk\.mp4: error [\s\S]+\nerror \(videos_failed\): .+\n$/);
  expect(JSON.parse(await readFile(answers, "utf8"))).toMatchObject({ source: good, data: { 2: expect.any(Number) } });
});

test("an account with one job at a time gets every answer, because the command waits after too_many_jobs", async () => {
  const env_ = await account();
  const { email } = JSON.parse((await runHere(["balance"], env_)).stdout) as { email: string };
  await service.admin("account", "set", email, "--max-jobs", "1");
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 1 }]);
  const videos = await Promise.all([copyOf("one"), copyOf("two")]);
  const { code, stdout, stderr } = await runHere(["extract", ...videos, "-s", schema], env_);
  expect([code, stdout.trimEnd().split("\n").length]).toEqual([0, 2]);
  expect(stderr).toMatch(/Trying again in \d+ s\.\n/);
});

test("a signal ends the command, which names the running jobs, and the key gets every answer for one charge", async () => {
  const env_ = await account();
  const before = await remaining(env_);
  const videos = await Promise.all(["first", "second", "third"].map(copyOf));
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 2 }]);
  const running = startHere(["extract", ...videos, "-s", schema, "--concurrency", "2"], env_);
  await running.until(/first\.mp4: Job \S+ is admitted/);
  await running.until(/second\.mp4: Job \S+ is admitted/);
  running.signal("SIGINT");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout]).toEqual([130, ""]);
  expect(stderr).toMatch(
    /error \(interrupted\): Interrupted after 0 of 3 answers\. The jobs below may still be running\./,
  );
  for (const video of videos.slice(0, 2)) {
    const id = new RegExp(`${video}: Job (\\S+) is admitted`).exec(stderr)?.[1];
    expect(stderr).toContain(`\n  ${video}: job ${id}\n`);
  }
  const key = /--idempotency-key '([^']+)'/.exec(stderr)?.[1] ?? "";
  const again = await runHere(["extract", ...videos, "-s", schema, "--idempotency-key", key], env_);
  expect([again.code, again.stdout.trimEnd().split("\n").length]).toEqual([0, 3]);
  expect(before - (await remaining(env_))).toBe(180);
});

test("a refused key stops the rest, and a missing video is found before anything is sent", async () => {
  const good = await copyOf("good");
  const words = ["extract", good, `${home}/../${home.split("/").at(-1)}/good.mp4`, "-s", schema, "--concurrency", "1"];
  const wrong = await runHere(words, env({ VIDEO_TO_JSON_API_KEY: "v2j_live_wrong" }));
  expect([wrong.code, wrong.stdout]).toEqual([3, ""]);
  expect(wrong.stderr).toMatch(/1 of 2 videos failed\. 1 were not sent\.\n$/);
  const missing = await runHere(["extract", good, join(home, "none.mp4"), "-s", schema], env());
  expect([missing.code, missing.stdout, missing.stderr.includes("Uploading")]).toEqual([4, "", false]);
});

function env(more: Env = {}): Env {
  return { HOME: home, VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey, ...more };
}

/** The environment of an account that only this test uses. */
async function account(): Promise<Env> {
  return env({ VIDEO_TO_JSON_API_KEY: await service.newKey() });
}

const remaining = ({ VIDEO_TO_JSON_API_KEY }: Env) => service.secondsRemaining(VIDEO_TO_JSON_API_KEY);

/** Copies the short video. */
async function copyOf(name: string): Promise<string> {
  const path = join(home, `${name}.mp4`);
  await copyFile(service.video, path);
  return path;
}
