import { once } from "node:events";
import { appendFile, copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Service, startService } from "@video-to-json/stack/service";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBreakableProxy } from "../testing/breakable-proxy.ts";
import { type Env, runCli, startCli } from "../testing/start-cli.ts";

const MB = 1_000_000;
const schema = '{"10":"red|green|blue","2":"integer"}';

let service: Service;
let home: string;
let site: Server;
beforeAll(async () => {
  site = createServer((_request, response) => {
    void readFile(service.video).then((bytes) => response.end(bytes));
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  service = await startService({ env: { FETCH_ALLOW_HOSTS: hostOf(site) } });
  home = await mkdtemp(join(tmpdir(), "v2j-cli-"));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  site.close();
  await rm(home, { recursive: true });
});

test("the data alone is on standard output, with the schema's order of keys, and the cost on standard error", async () => {
  const { code, stdout, stderr } = await extract([service.video, "--schema", schema]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\{\n {2}"10": "(red|green|blue)",\n {2}"2": \d+\n\}\n$/);
  expect(stderr).toMatch(/0:05 of video, 60 s charged; job [0-9a-f-]{36}\n$/);
  expect(stderr).not.toContain("\u001b");
});

test("with --json the response is one line, as the service wrote it, and standard error is silent", async () => {
  const idempotency = ["--idempotency-key", "one line"];
  const { code, stdout, stderr } = await extract([service.video, "-s", schema, "--json", ...idempotency]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\{"id":"[^"]+","data":\{"10":"\w+","2":\d+\},"video":.+\}\n$/);
  const again = await extract([service.video, "-s", schema, "--json", ...idempotency]);
  expect(again.stdout).toBe(stdout);
  expect((await extract([service.video, "-s", schema, ...idempotency])).stderr).toContain("charged before");
});

test("the schema is sent as it is written, from a file, from standard input or as an argument", async () => {
  const text = '{ "b": 0.0,\n  "a": 0 }';
  const file = join(home, "schema.json");
  await writeFile(file, `\ufeff${text}\n`);
  const answers = [
    await extract([service.video, "--schema", file, "--json"]),
    await extract([service.video, "--schema", "-", "--json"], {}, text),
    await extract([service.video, "--schema", text, "--json"]),
  ];
  for (const { stdout } of answers) {
    const { id } = JSON.parse(stdout) as { id: string };
    const { stdout: record } = await runCli(["job", id], env());
    expect(record).toBe(`${(await service.read(`/v1/jobs/${id}`)).text.replaceAll("\n", " ")}\n`);
    expect(record).toContain('"schema":{ "b": 0.0,   "a": 0 }');
  }
});

test("a video behind an address is fetched by the service, and one that is not there is told of", async () => {
  const { code, stdout, stderr } = await extract([`http://${hostOf(site)}/clip.mp4?key=a%20b`, "-s", schema]);
  expect([code, Object.keys(JSON.parse(stdout)).length]).toEqual([0, 2]);
  expect(stderr).toMatch(/^Waiting for the answer\.\n0:05 of video, 60 s charged/);
  const blocked = await extract(["http://10.0.0.1/clip.mp4", "-s", schema, "--json"]);
  expect([blocked.code, JSON.parse(blocked.stderr).error.code]).toEqual([4, "video_unreachable"]);
});

test("a file may have any name", async () => {
  const file = join(home, 'a\nb\u001b[2J"é🎬.mp4');
  await copyFile(service.video, file);
  const { code, stderr } = await extract([file, "-s", schema]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Uploading a_b_\[2J"é🎬\.mp4 /);
});

test("instructions come from the argument or from a file", async () => {
  const file = join(home, "notes.txt");
  await writeFile(file, "The red team.\n");
  for (const [given, sent] of [
    ["In short.", "In short."],
    [`@${file}`, "The red team.\n"],
  ] as const) {
    const { stdout } = await extract([service.video, "-s", schema, "-i", given, "--json"]);
    const { text } = await service.read(`/v1/jobs/${JSON.parse(stdout).id}`);
    expect(JSON.parse(text).instructions).toBe(sent);
  }
});

test("without a key it says how to get one, and a key that is not live is not accepted: exit code 3", async () => {
  const noKey = await runCli(["extract", service.video, "-s", schema], {
    HOME: home,
    VIDEO_TO_JSON_URL: "http://127.0.0.1:1",
  });
  expect(noKey).toMatchObject({ code: 3, stdout: "" });
  expect(noKey.stderr).toMatch(/video-to-json login.*VIDEO_TO_JSON_API_KEY/);

  const revoked = await service.newKey();
  const operator = { DATABASE_URL: service.database.url };
  expect((await runCli(["admin", "key", "revoke", revoked.slice(0, 15)], operator)).code).toBe(0);
  for (const key of ["v2j_live_wrong", revoked]) {
    for (const words of [["extract", service.video, "-s", schema], ["balance"], ["jobs"]]) {
      const { code, stdout, stderr } = await runCli(words, env({ VIDEO_TO_JSON_API_KEY: key }));
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(/unauthorised[\s\S]*request id: /);
      expect(stderr).not.toContain(key);
    }
  }
});

test("each kind of failure has its exit code, and with --json the Error body alone on standard error", async () => {
  const poor = env({ VIDEO_TO_JSON_API_KEY: await service.newKey(59) });
  const broke = await runCli(["extract", service.video, "-s", schema, "--json"], poor);
  expect([broke.code, broke.stdout, JSON.parse(broke.stderr).error.code]).toEqual([5, "", "out_of_minutes"]);

  const junk = join(home, "junk.mp4");
  await writeFile(junk, "no video at all");
  const unreadable = await extract([junk, "-s", schema, "--json"]);
  expect(unreadable.code).toBe(4);
  expect(JSON.parse(unreadable.stderr)).toEqual({
    error: { code: "media_unreadable", message: expect.any(String) },
    job_id: expect.any(String),
    request_id: expect.any(String),
  });

  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const failed = await extract([service.video, "-s", schema]);
  expect([failed.code, failed.stdout]).toEqual([6, ""]);
  expect(failed.stderr).toMatch(/error \(extraction_failed\): .+\n( {2}\S*: .+\n)+job id: /);

  const away = await runCli(["balance"], env({ VIDEO_TO_JSON_URL: "http://127.0.0.1:1" }));
  expect([away.code, away.stdout]).toEqual([7, ""]);
  expect(away.stderr).toMatch(/connection_failed.*127\.0\.0\.1:1/);
  expect((await runCli(["job", "nope"], env())).code).toBe(4);
});

test("where nobody answers, a shell is told in its own words that nothing runs", async () => {
  const nowhere = env({ VIDEO_TO_JSON_URL: "http://127.0.0.1:1" });
  const { code, stdout, stderr } = await runCli(["extract", service.video, "-s", schema], nowhere);
  expect([code, stdout]).toEqual([7, ""]);
  expect(stderr).toContain("nothing runs or is charged");
  expect(stderr).not.toMatch(/recentJobs|idempotencyKey /);
});

test("a file of 200 MB is sent without being held in memory", async () => {
  const file = await padded(200 * MB);
  const { code, stdout, stderr } = await extract([file, "-s", schema], {
    NODE_OPTIONS: `--import "data:text/javascript,process.on('exit',()=>process._rawDebug('peak',process.resourceUsage().maxRSS))"`,
  });
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  const peakKiB = Number(/^peak (\d+)$/m.exec(stderr)?.[1]);
  expect(peakKiB).toBeGreaterThan(10_000);
  expect(peakKiB).toBeLessThan(260_000);
});

test("a connection that breaks in the middle of the upload is made again, for one answer and one charge", async () => {
  const file = await padded(30 * MB);
  const before = await service.secondsRemaining();
  await using proxy = await openBreakableProxy(service.baseUrl, 10 * MB);
  const { code, stdout, stderr } = await extract([file, "-s", schema], { VIDEO_TO_JSON_URL: proxy.url });
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  expect(stderr).toMatch(/Trying again in \d s\.\nUploading/);
  expect(proxy.connections()).toBe(2);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("a connection that breaks while the answer is awaited is made again, and joins the job", async () => {
  const before = await service.secondsRemaining();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2000 }]);
  const generated = (await service.emulator.state()).requests.generate ?? 0;
  await using proxy = await openBreakableProxy(service.baseUrl, Number.POSITIVE_INFINITY);
  const running = startCli(["extract", service.video, "-s", schema], env({ VIDEO_TO_JSON_URL: proxy.url }));
  await service.emulator.waitFor({ "requests.generate": generated + 1 });
  proxy.breakAll();
  const { code, stdout } = await running.ended;
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  expect(before - (await service.secondsRemaining())).toBe(60);
  expect((await service.emulator.state()).requests.generate).toBe(generated + 1);
});

test("an interruption ends the command and not the job, and tells the key that reads its answer", async () => {
  for (const [signal, exitCode] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    const before = await service.secondsRemaining();
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1000 }]);
    const running = startCli(["extract", service.video, "-s", schema], env());
    await running.until(/Waiting for the answer/);
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([exitCode, ""]);
    expect(stderr).toContain("video-to-json jobs");
    const key = /--idempotency-key '([^']+)'/.exec(stderr)?.[1] ?? "";
    const again = await extract([service.video, "-s", schema, "--idempotency-key", key]);
    expect([again.code, Object.keys(JSON.parse(again.stdout))]).toEqual([0, ["2", "10"]]);
    expect(before - (await service.secondsRemaining())).toBe(60);
  }
});

test("interrupted while it sends, a command without a key says that nothing runs; one with a key may have a job from before", async () => {
  const file = await padded(30 * MB);
  await using deaf = await openDeafServer();
  const before = await service.secondsRemaining();
  const given = ["--idempotency-key", "it's mine"];
  const earlier = await extract([file, "-s", schema, ...given, "--json"]);
  expect(earlier.code).toBe(0);

  const interrupt = async (words: readonly string[]) => {
    const command = ["extract", file, "-s", schema, ...words];
    const running = startCli(command, env({ VIDEO_TO_JSON_URL: deaf.url }));
    await running.until(/Uploading/);
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([130, ""]);
    return stderr;
  };
  expect(await interrupt([])).toContain("nothing runs, and nothing is charged");
  const told = await interrupt(given);
  expect(told).not.toContain("nothing runs");
  expect(told).toContain("--idempotency-key 'it'\\''s mine'");
  const again = await extract([file, "-s", schema, ...given, "--json"]);
  expect(again.stdout).toBe(earlier.stdout);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("whoever reads standard output may stop reading", async () => {
  const running = startCli(["extract", service.video, "-s", schema], env());
  running.child.stdout.destroy();
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/EPIPE|error/);
});

test("jobs and balance are one line of JSON where there is no terminal", async () => {
  const list = await runCli(["jobs", "--limit", "2"], env());
  expect([list.code, list.stderr, list.stdout.trimEnd().split("\n").length]).toEqual([0, "", 1]);
  expect(JSON.parse(list.stdout)).toMatchObject([{ status: expect.any(String) }, { status: expect.any(String) }]);
  const { stdout } = await runCli(["balance"], env());
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await service.read("/v1/me")).text));
});

/** A server that takes connections and never reads what comes. */
async function openDeafServer() {
  const open = new Set<Socket>();
  const server = createTcpServer({ pauseOnConnect: true }, (socket) => {
    open.add(socket.on("error", () => {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function hostOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function env(more: Env = {}): Env {
  return { HOME: home, VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey, ...more };
}

function extract(words: readonly string[], more: Env = {}, input = "") {
  return runCli(["extract", ...words], env(more), input);
}

/** The short video in a file of so many bytes: a box at its end says that nothing follows in it. */
async function padded(bytes: number): Promise<string> {
  const file = join(home, `${bytes}.mp4`);
  await copyFile(service.video, file);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(bytes - (await stat(file)).size);
  header.write("free", 4);
  await appendFile(file, header);
  await truncate(file, bytes);
  return file;
}
