import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { padVideo } from "./testing/pad-video.ts";
import { runHere } from "./testing/run-here.ts";
import { type Env, startInTerminal } from "./testing/start-cli.ts";

const schema = '{"10":"red|green|blue","2":"integer"}';
const hideCursor = "␛[?25l";
const showCursor = "␛[?25h";

let service: BorrowedService;
let home: string;
let large: string;
beforeAll(async () => {
  service = await borrowService();
  home = await mkdtemp(join(tmpdir(), "v2j-terminal-"));
  large = join(home, "large.mp4");
  await padVideo(service.video, large, 100_000_000);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(home, { recursive: true });
});

test("an upload shows a growing bar, the wait a spinner; afterwards the line is gone and the cursor is back", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500 }]);
  const { code, stdout: screen } = await startInTerminal(["extract", large, "-s", schema], env()).ended;
  expect(code).toBe(0);
  const shares = [...screen.matchAll(/Uploading large\.mp4 [█░]+ +(\d+) %/g)].map((match) => Number(match[1]));
  expect(shares.length).toBeGreaterThan(1);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.some((share) => share > 0)).toBe(true);
  expect(screen).toMatch(/␛\[36m[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]␛\[39m Analysing the video {2}\d+:\d\d/);
  expect(new Set(screen.match(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g)).size).toBeGreaterThan(5);
  expect(screen.indexOf(hideCursor)).toBeLessThan(screen.indexOf(showCursor));
  const afterwards = screen.slice(screen.lastIndexOf(showCursor) + showCursor.length).replaceAll("\r", "");
  expect(afterwards).toMatch(/^\{\n {2}"10": "\w+",\n {2}"2": \d+\n\}\n0:05 of video, 60 s charged; job \S+\n$/);
});

test("Ctrl-C restores the cursor and ends the command with 130", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500 }]);
  const running = startInTerminal(["extract", service.video, "-s", schema], env());
  await running.until(/Waiting for the answer/);
  running.child.stdin.write("\u0003");
  const { code, stdout: screen } = await running.ended;
  expect(code).toBe(130);
  expect(screen.slice(screen.lastIndexOf(hideCursor))).toMatch(
    /␛\[\?7h␛\[\?25h[\s\S]*Interrupted\. .*video-to-json jobs?[ `]/,
  );
});

test.concurrent.for([
  [["--no-color"], {}],
  [[], { NO_COLOR: "1" }],
] as const)("%j with %j turns off colours on a terminal", async ([words, more]) => {
  const { stdout: screen } = await startInTerminal(["extract", service.video, "-s", schema, ...words], env(more)).ended;
  expect(screen).toContain("Waiting for the answer");
  expect(screen).not.toMatch(/␛\[\d+m/);
});

test.concurrent("a terminal gets coloured errors", async () => {
  const { code, stdout: screen } = await startInTerminal(["extract", "none.mp4", "-s", schema], env()).ended;
  expect([code, screen.includes("␛[31merror␛[39m")]).toEqual([4, true]);
});

test.concurrent("jobs, job and balance print text on a terminal, and no line of jobs is wider than that", async () => {
  const junk = join(home, "junk.mp4");
  await writeFile(junk, "no video at all");
  const { stdout } = await runHere(["extract", service.video, "-s", '{"b":"number","a":0.0}', "--json"], env());
  expect((await runHere(["extract", junk, "-s", schema], env())).code).toBe(4);
  const { id } = JSON.parse(stdout) as { id: string };
  const list = async (columns: number) => {
    const screen = (await startInTerminal(["jobs"], env(), columns).ended).stdout.replaceAll("\r", "");
    for (const line of screen.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    return screen;
  };
  const [wide, narrow, narrowest] = await Promise.all([list(100), list(80), list(45)]);
  expect(wide).toMatch(/^JOB +STATUS +AGE +VIDEO +BILLED +MODEL\n/);
  expect(wide).toMatch(new RegExp(`\n${id}  succeeded +\\d+ s +0:05 +60 s +\\S+\n`));
  expect(narrow).toMatch(/^JOB +STATUS +AGE +VIDEO +BILLED\n/);
  expect(narrow).toMatch(/\n\S{36} {2}failed \(media_\S*…? +\d+ s/);
  expect(narrowest).toMatch(/^JOB +STATUS\n/);
  expect(narrowest).toContain(`\n${id}  succee…\n`);
  const record = (await startInTerminal(["job", id], env()).ended).stdout.replaceAll("\r", "");
  expect(record).toContain('\n  "schema": {\n    "b": "number",\n    "a": 0.0\n  },\n');
  expect((await startInTerminal(["balance"], env()).ended).stdout).toMatch(/^\d+ minutes left, \S+@\S+\r\n$/);
});

test("several videos have a line each, and answers appear above them", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 1 }]);
  const folder = join(home, "a folder with a long name");
  await mkdir(folder);
  const videos = await Promise.all(
    ["one.mp4", "two.mp4"].map(async (name) => {
      await copyFile(service.video, join(folder, name));
      return join(folder, name);
    }),
  );
  const { code, stdout } = await startInTerminal(["extract", ...videos, "-s", schema], env(), 80).ended;
  expect(code).toBe(0);
  const screen = screenOf(stdout);
  // Waits for both lines, because the second one is drawn below the first.
  expect(stdout).toMatch(
    /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]␛\[39m …[^\n]*one\.mp4 {2}[^\n]+\r?\n␛\[36m[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]␛\[39m …[^\n]*two\.mp4 {2}/,
  );
  expect(screen.join("\n")).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
  expect(screen.filter((line) => line.startsWith('{"source":"'))).toHaveLength(2);
  expect(screen.filter((line) => /: 0:05 of video, 60 s charged; job \S+$/.test(line))).toHaveLength(2);
  expect(screen).toHaveLength(4);
  expect(stdout.lastIndexOf(showCursor)).toBeGreaterThan(stdout.lastIndexOf(hideCursor));
});

test("jobs and balance print one line of JSON without a terminal, jobs reads pages, and a deleted job is gone", async () => {
  const list = await runHere(["jobs", "--limit", "2"], env());
  expect([list.code, list.stderr, list.stdout.trimEnd().split("\n").length]).toEqual([0, "", 1]);
  const { stdout } = await runHere(["balance"], env());
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await service.read("/v1/me")).text));
  const failed = await runHere(["jobs", "--status", "failed", "--limit", "9999", "--jq", ".[].error.code"], env());
  expect(failed.stdout).toBe("media_unreadable\n");

  const succeeded = await runHere(["jobs", "--status", "succeeded", "-n", "2", "--jq", "map(.id)"], env());
  const ids = JSON.parse(succeeded.stdout) as string[];
  expect(await runHere(["jobs", "delete", ...ids], env())).toEqual({
    code: 0,
    stdout: "",
    stderr: ids.map((id) => `Job ${id} is deleted.\n`).join(""),
  });
  for (const words of [["job"], ["jobs", "delete"]]) {
    const gone = await runHere([...words, ids[0] ?? ""], env());
    expect([gone.code, gone.stderr.includes("error (not_found)")]).toEqual([4, true]);
  }
  expect((await runHere(["jobs", "remove"], env())).code).toBe(2);
});

test("login asks for the address and the hidden key, and saves both for their owner only", async () => {
  const place = { HOME: join(home, "ada") };
  const running = startInTerminal(["login"], place);
  await running.until(/Address: /);
  running.child.stdin.write(`${service.baseUrl}/\r`);
  await running.until(/key \(not shown\): /);
  running.child.stdin.write(`${service.apiKey}\r`);
  const { code, stdout: screen } = await running.ended;
  expect([code, screen.includes("Logged in at")]).toEqual([0, true]);
  expect(screen).not.toContain(service.apiKey.slice(-20));

  const directory = join(place.HOME, ".config", "video-to-json");
  const file = join(directory, "credentials.json");
  expect([(await stat(file)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect((await runHere(["balance"], place)).code).toBe(0);

  // The next login proposes the saved address. Ctrl-C changes nothing.
  const again = startInTerminal(["login"], place);
  await again.until(new RegExp(`Address \\[${service.baseUrl}\\]: `));
  again.child.stdin.write("\u0003");
  expect((await again.ended).code).toBe(130);
  expect((await runHere(["balance"], place)).code).toBe(0);

  expect(await runHere(["logout"], place)).toMatchObject({ code: 0, stdout: "" });
  expect((await runHere(["balance"], place)).code).toBe(3);
  expect((await runHere(["logout"], place)).code).toBe(0);
});

test("login reads a piped key and makes an open file private", async () => {
  const settings = join(home, "settings");
  const place = { HOME: home, XDG_CONFIG_HOME: settings };
  const file = join(settings, "video-to-json", "credentials.json");
  await mkdir(join(settings, "video-to-json"), { recursive: true, mode: 0o755 });
  await writeFile(file, "{}");
  await chmod(file, 0o666);
  const login = ["login", "--url", service.baseUrl];
  expect(await runHere(login, place, `${service.apiKey}\n`)).toMatchObject({ code: 0, stdout: "" });
  expect([(await stat(file)).mode & 0o777, (await stat(join(file, ".."))).mode & 0o777]).toEqual([0o600, 0o700]);

  const kept = await readFile(file, "utf8");
  const refused = await runHere(login, place, "v2j_live_wrong\n");
  expect([refused.code, refused.stderr.includes("v2j_live_wrong")]).toEqual([3, false]);
  expect((await runHere(login, place, "\n")).code).toBe(3);
  expect((await runHere(["login", "--url", "nonsense"], place, service.apiKey)).code).toBe(2);
  expect(await readFile(file, "utf8")).toBe(kept);

  const elsewhere = await runHere(["balance", "--url", "http://127.0.0.1:1"], place);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([3, expect.stringMatching(/belongs to/)]);
});

/** Returns the lines that remain on a terminal of any width, after all clearing and cursor movements. */
function screenOf(written: string): string[] {
  const lines = [""];
  let row = 0;
  for (const [part] of written.matchAll(/␛\[[?\d;]*[A-Za-z]|\r|\n|[^␛\r\n]+/g)) {
    if (part === "\n") lines[++row] ??= "";
    else if (/^␛\[\d*A$/.test(part)) row -= Number(part.slice(2, -1) || 1);
    else if (part === "␛[J") lines.splice(row, Number.POSITIVE_INFINITY, "");
    else if (part !== "\r" && !part.startsWith("␛")) lines[row] += part;
  }
  return lines.filter((line) => line !== "");
}

function env(more: Env = {}): Env {
  return { HOME: home, VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey, ...more };
}
