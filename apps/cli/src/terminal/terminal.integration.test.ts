import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Service, startService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { padVideo } from "../testing/pad-video.ts";
import { runHere } from "../testing/run-here.ts";
import { type Env, startInTerminal } from "../testing/start-cli.ts";

const schema = '{"10":"red|green|blue","2":"integer"}';
const hideCursor = "␛[?25l";
const showCursor = "␛[?25h";

let service: Service;
let home: string;
let large: string;
beforeAll(async () => {
  service = await startService();
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
  expect(screen).toMatch(/␛\[36m[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]␛\[39m Analysing the video {2}0:01/);
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

test.concurrent("jobs, job and balance print text on a terminal", async () => {
  const { stdout } = await runHere(["extract", service.video, "-s", '{"b":"number","a":0.0}', "--json"], env());
  const { id } = JSON.parse(stdout) as { id: string };
  const list = (await startInTerminal(["jobs"], env()).ended).stdout.replaceAll("\r", "");
  expect(list).toMatch(/^JOB +STATUS +AGE +VIDEO +BILLED +MODEL\n/);
  expect(list).toMatch(new RegExp(`\n${id}  succeeded +\\d+ s +0:05 +60 s +\\S+\n`));
  const record = (await startInTerminal(["job", id], env()).ended).stdout.replaceAll("\r", "");
  expect(record).toContain('\n  "schema": {\n    "b": "number",\n    "a": 0.0\n  },\n');
  expect((await startInTerminal(["balance"], env()).ended).stdout).toMatch(
    /^\d+:\d\d minutes left \(\d+ s\), \S+@\S+\r\n$/,
  );
});

test("login asks for the address and the hidden key, and saves both for their owner only", async () => {
  const place = { HOME: join(home, "ada") };
  const running = startInTerminal(["login"], place);
  await running.until(/Address: /);
  running.child.stdin.write(`${service.baseUrl}/\r`);
  await running.until(/Key \(not shown\): /);
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

function env(more: Env = {}): Env {
  return { HOME: home, VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey, ...more };
}
