import { once } from "node:events";
import { createReadStream } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { startCuttingProxy } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { padVideo } from "../testing/pad-video.ts";
import { runHere, startHere } from "../testing/run-here.ts";
import { type Env, runCli, startCli } from "../testing/start-cli.ts";

const MB = 1_000_000;
const schema = '{"10":"red|green|blue","2":"integer"}';

let service: BorrowedService;
let home: string;
let site: Server;
beforeAll(async () => {
  site = createServer(async (_request, response) => response.end(await readFile(service.video)));
  service = await borrowService();
  site.listen(service.sitePort, "127.0.0.1");
  await once(site, "listening");
  home = await mkdtemp(join(tmpdir(), "v2j-cli-"));
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  site.close();
  await rm(home, { recursive: true });
});

// These tests run concurrently, because they neither set faults nor compare balances.
test.concurrent("standard output is only the data, in the schema's key order, and the cost is on standard error", async () => {
  const { code, stdout, stderr } = await runCli(["extract", service.video, "--schema", schema], env());
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\{\n {2}"10": "(red|green|blue)",\n {2}"2": \d+\n\}\n$/);
  expect(stderr).toMatch(/0:05 of video, 60 s charged; job [0-9a-f-]{36}\n$/);
  expect(stderr).not.toContain("\u001b");
});

test.concurrent("--json prints the unchanged response on one line and nothing on standard error", async () => {
  const idempotency = ["--idempotency-key", "one line"];
  const { code, stdout, stderr } = await extract([service.video, "-s", schema, "--json", ...idempotency]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^\{"id":"[^"]+","data":\{"10":"\w+","2":\d+\},"video":.+\}\n$/);
  const again = await extract([service.video, "-s", schema, "--json", ...idempotency]);
  expect(again.stdout).toBe(stdout);
  expect((await extract([service.video, "-s", schema, ...idempotency])).stderr).toContain("already charged");
});

test.concurrent("a doubtful schema is refused for free, and with --accept-warnings it runs and the doubts are on standard error", async () => {
  const doubtful = [service.video, "-s", '{"tags":"array<string>"}'];
  const refused = await extract(doubtful);
  expect([refused.code, refused.stdout]).toEqual([4, ""]);
  expect(refused.stderr).toMatch(/schema_invalid[\s\S]*\/tags: [\s\S]*--accept-warnings/);
  const { code, stderr } = await extract([...doubtful, "--accept-warnings"]);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/\nwarning \/tags: .*such as \["string"\]/)]);
  const { stderr: line } = await extract([...doubtful, "--accept-warnings", "--json"]);
  expect(JSON.parse(line)).toMatchObject({ warnings: [{ path: "/tags" }] });
});

test.concurrent("with --second-look, standard error says what it found", async () => {
  const looking = [service.video, "-s", '{"first_cut_at":"timestamp"}', "--second-look", "times"];
  expect((await extract(looking)).stderr).toMatch(/\nsecond look at the times: confirmed=\d+, moved=\d+, .+\n$/);
  const { stderr: line } = await extract([...looking, "--json"]);
  expect(JSON.parse(line)).toMatchObject({ second_look: { confirmed: expect.any(Number) } });
});

test.concurrent("with --clip, only that part of the video is analysed", async () => {
  // The last second of the video is blue.
  const { code, stdout } = await extract([service.video, "-s", schema, "--clip", "0:04-", "--detail", "low"]);
  expect([code, stdout.includes('"10": "blue"')]).toEqual([0, true]);
});

test.concurrent("a schema from a file, from standard input or from the argument is sent unchanged", async () => {
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
    const { stdout: record } = await runHere(["job", id], env());
    expect(record).toBe(`${(await service.read(`/v1/jobs/${id}`)).text.replaceAll("\n", " ")}\n`);
    expect(record).toContain('"schema":{ "b": 0.0,   "a": 0 }');
  }
});

test.concurrent("the service fetches a video URL, and a URL that it may not fetch gets video_unreachable", async () => {
  const { code, stdout, stderr } = await extract([`http://${hostOf(site)}/clip.mp4?key=a%20b`, "-s", schema]);
  expect([code, Object.keys(JSON.parse(stdout)).length]).toEqual([0, 2]);
  expect(stderr).toMatch(/^Waiting for the answer\.\nJob [0-9a-f-]{36} is admitted\.\n/);
  expect(stderr).toMatch(/\nAnalysing the video\.\n(.+\n)*0:05 of video, 60 s charged/);
  const blocked = await extract(["http://10.0.0.1/clip.mp4", "-s", schema, "--json"]);
  expect([blocked.code, JSON.parse(blocked.stderr).error.code]).toEqual([4, "video_unreachable"]);
});

test.concurrent("a file name may contain any character", async () => {
  const file = join(home, 'a\nb\u001b[2J"é🎬.mp4');
  await copyFile(service.video, file);
  const { code, stderr } = await extract([file, "-s", schema]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^Uploading a_b_\[2J"é🎬\.mp4 /);
});

test.concurrent("instructions come from the argument or from a file", async () => {
  const file = join(home, "notes.txt");
  await writeFile(file, "The red team.\n");
  for (const [argument, instructions] of [
    ["In short.", "In short."],
    [`@${file}`, "The red team.\n"],
  ] as const) {
    const { stdout } = await extract([service.video, "-s", schema, "-i", argument, "--json"]);
    const { text } = await service.read(`/v1/jobs/${JSON.parse(stdout).id}`);
    expect(JSON.parse(text).instructions).toBe(instructions);
  }
});

test.concurrent("a missing, wrong or revoked key ends with exit code 3 and says what to do", async () => {
  const noKey = await runHere(["extract", service.video, "-s", schema], {
    HOME: home,
    VIDEO_TO_JSON_URL: "http://127.0.0.1:1",
  });
  expect(noKey).toMatchObject({ code: 3, stdout: "" });
  expect(noKey.stderr).toMatch(/video-to-json login.*VIDEO_TO_JSON_API_KEY/);

  const revoked = await service.newKey();
  await service.admin("key", "revoke", revoked.slice(0, 15));
  for (const key of ["v2j_live_wrong", revoked]) {
    for (const words of [["extract", service.video, "-s", schema], ["balance"], ["jobs"]]) {
      const { code, stdout, stderr } = await runHere(words, env({ VIDEO_TO_JSON_API_KEY: key }));
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toMatch(/unauthorised[\s\S]*request id: /);
      expect(stderr).not.toContain(key);
    }
  }
});

test.concurrent("a closed standard output is not an error", async () => {
  const running = startCli(["extract", service.video, "-s", schema], env());
  running.child.stdout.destroy();
  const { code, stderr } = await running.ended;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/EPIPE|error/);
});

test("each kind of error has its exit code, and --json prints only the Error body on standard error", async () => {
  const poor = env({ VIDEO_TO_JSON_API_KEY: await service.newKey(59) });
  const broke = await runHere(["extract", service.video, "-s", schema, "--json"], poor);
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

  expect((await runHere(["job", "nope"], env())).code).toBe(4);
});

test("without an answering server the exit code is 7, and the message says that no job runs", async () => {
  const nowhere = env({ VIDEO_TO_JSON_URL: "http://127.0.0.1:1" });
  const [extraction, balance] = await Promise.all([
    runHere(["extract", service.video, "-s", schema], nowhere),
    runHere(["balance"], nowhere),
  ]);
  for (const { code, stdout } of [extraction, balance]) expect([code, stdout]).toEqual([7, ""]);
  expect(extraction.stderr).toContain("No job is running, and nothing is charged");
  expect(extraction.stderr).not.toMatch(/recentJobs|idempotencyKey /);
  expect(balance.stderr).toMatch(/connection_failed.*127\.0\.0\.1:1/);
});

test("200 MB of a file or of standard input are sent without being in memory as a whole", async () => {
  const file = await padded(200 * MB);
  const { text: stored } = await service.extract({ schema });
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on("end", () => response.end(stored));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const more = env({
    VIDEO_TO_JSON_URL: `http://${hostOf(server)}`,
    NODE_OPTIONS: `--import "data:text/javascript,process.on('exit',()=>process._rawDebug('peak',process.resourceUsage().maxRSS))"`,
  });
  const piped = startCli(["extract", "-", "-s", schema], more);
  createReadStream(file).pipe(piped.child.stdin);
  for (const { code, stdout, stderr } of await Promise.all([
    runCli(["extract", file, "-s", schema], more),
    piped.ended,
  ])) {
    expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
    const peakKiB = Number(/^peak (\d+)$/m.exec(stderr)?.[1]);
    expect(peakKiB).toBeGreaterThan(10_000);
    expect(peakKiB).toBeLessThan(260_000);
  }
  server.close();
  expect(bytes).toBeGreaterThan(2 * 200 * MB);
});

test("a video from standard input is sent again when its connection breaks, and no copy of it is left", async () => {
  const file = await padded(12 * MB);
  const directory = await mkdtemp(join(home, "tmp-"));
  const before = await service.secondsRemaining();
  await using proxy = await startCuttingProxy(service.baseUrl, 4 * MB);
  const more = env({ VIDEO_TO_JSON_URL: proxy.url, TMPDIR: directory });
  const { code, stdout, stderr } = await runHere(["extract", "-", "-s", schema], more, createReadStream(file));
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  expect(stderr).toMatch(
    /^Reading standard input\.\nUploading video \(12 MB\)[\s\S]*Trying again in \d s\.\nUploading/,
  );
  expect(before - (await service.secondsRemaining())).toBe(60);
  expect(await readdir(directory)).toEqual([]);
});

test("a command that is killed while it reads standard input leaves no file, not even an incomplete one", async () => {
  const directory = await mkdtemp(join(home, "tmp-"));
  const output = join(home, "kept.json");
  await writeFile(output, "old");
  for (const [signal, exitCode] of [
    // Only Linux can name an open file that was deleted.
    ...(process.platform === "linux" ? ([["SIGKILL", null]] as const) : []),
    ["SIGINT", 130],
  ] as const) {
    const running = startCli(["extract", "-", "-s", schema, "--output", output], env({ TMPDIR: directory }));
    running.child.stdin.write(Buffer.alloc(MB));
    await running.until(/Reading standard input/);
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([exitCode, ""]);
    if (signal === "SIGINT") expect(stderr).toContain("No job is running, and nothing is charged");
  }
  expect(await readdir(directory)).toEqual([]);
  expect(await readFile(output, "utf8")).toBe("old");
});

test("--output writes the whole answer and nothing on standard output, and a failure leaves the file as it was", async () => {
  const directory = await mkdtemp(join(home, "out-"));
  const [file, link] = [join(directory, "answer.json"), join(directory, "link.json")];
  await symlink(file, link);
  await writeFile(file, "old");
  const words = [service.video, "-s", schema, "--output"];
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  expect(await extract([...words, file])).toMatchObject({ code: 6, stdout: "" });
  expect(await readFile(file, "utf8")).toBe("old");
  const { code, stdout, stderr } = await extract([...words, link]);
  expect([code, stdout, stderr.includes("60 s charged")]).toEqual([0, "", true]);
  expect(await readFile(file, "utf8")).toMatch(/^\{\n {2}"10": "\w+",\n {2}"2": \d+\n\}\n$/);
  expect((await readdir(directory)).toSorted()).toEqual(["answer.json", "link.json"]);

  for (const place of ["/dev/null", directory, join(home, "none", "x.json")]) {
    const refused = await extract([...words, place]);
    expect([refused.code, refused.stdout, refused.stderr.includes("Uploading")]).toEqual([1, "", false]);
    expect(refused.stderr).toContain(`error (not_written): ${place} cannot be written: `);
  }
});

test("--jq filters what a command prints and keeps literals; a program that fails names the job with the answer", async () => {
  const words = [service.video, "-s", schema, "--idempotency-key", "filtered", "--quiet"];
  const plain = await extract([...words, "--jq", "."]);
  expect([plain.code, plain.stderr]).toEqual([0, ""]);
  expect(plain.stdout).toMatch(/^\{\n {2}"10": "\w+",\n {2}"2": \d+\n\}\n$/);
  const color = JSON.parse(plain.stdout)["10"];
  expect((await extract([...words, "--jq", '.["10"]'])).stdout).toBe(`${color}\n`);
  const { stdout: id } = await extract([...words, "--json", "--jq", ".id"]);
  const failed = await extract([...words, "--jq", ".a.b | keys"]);
  expect([failed.code, failed.stdout]).toEqual([1, ""]);
  expect(failed.stderr).toContain(`\`video-to-json job ${id.trim()}\` shows the answer.`);
  expect(failed.stderr).toMatch(/^error \(jq_failed\): The jq program failed: null \(null\) has no keys\./);
  const record = await runHere(["job", id.trim(), "--jq", ".schema"], env());
  expect(record.stdout).toBe(`${schema}\n`);
  expect((await runHere(["balance", "--jq", ".seconds_remaining"], env())).stdout).toMatch(/^\d+\n$/);
});

test("an upload whose connection breaks is retried: one answer, one charge", async () => {
  const file = await padded(12 * MB);
  const before = await service.secondsRemaining();
  await using proxy = await startCuttingProxy(service.baseUrl, 4 * MB);
  const { code, stdout, stderr } = await extract([file, "-s", schema], { VIDEO_TO_JSON_URL: proxy.url });
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  expect(stderr).toMatch(/Trying again in \d s\.\nUploading/);
  expect(proxy.connections()).toBe(2);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

test("a command whose connection breaks while the job runs reads its answer and sends the video once", async () => {
  const before = await service.secondsRemaining();
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 2000 }]);
  const generated = (await service.emulator.state()).requests.generate ?? 0;
  await using proxy = await startCuttingProxy(service.baseUrl);
  const running = extract([service.video, "-s", schema], { VIDEO_TO_JSON_URL: proxy.url });
  await service.emulator.waitFor({ "requests.generate": generated + 1 });
  proxy.cutAll();
  const { code, stdout, stderr } = await running;
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ["2", "10"]]);
  expect(stdout.indexOf('"10"')).toBeLessThan(stdout.indexOf('"2"'));
  expect(stderr.match(/Uploading/g)).toHaveLength(1);
  expect(before - (await service.secondsRemaining())).toBe(60);
  expect((await service.emulator.state()).requests.generate).toBe(generated + 1);
});

test("a signal ends the command but not its job, and the message names the key that gets the answer", async () => {
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
    expect(stderr).toMatch(/`video-to-json jobs?[ `]/);
    const key = /--idempotency-key '([^']+)'/.exec(stderr)?.[1] ?? "";
    const again = await extract([service.video, "-s", schema, "--idempotency-key", key]);
    expect([again.code, Object.keys(JSON.parse(again.stdout))]).toEqual([0, ["2", "10"]]);
    expect(before - (await service.secondsRemaining())).toBe(60);
  }
});

test("a signal during the upload: without an idempotency key no job runs; with one an earlier job may run", async () => {
  const file = await padded(30 * MB);
  await using server = await startUnreadingServer();
  const before = await service.secondsRemaining();
  const ownKey = ["--idempotency-key", "it's mine"];
  const earlier = await extract([file, "-s", schema, ...ownKey, "--json"]);
  expect(earlier.code).toBe(0);

  const interrupt = async (words: readonly string[]) => {
    const command = ["extract", file, "-s", schema, ...words];
    const running = startHere(command, env({ VIDEO_TO_JSON_URL: server.url }));
    await running.until(/Uploading/);
    running.signal("SIGINT");
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([130, ""]);
    return stderr;
  };
  expect(await interrupt([])).toContain("No job is running, and nothing is charged");
  const message = await interrupt(ownKey);
  expect(message).not.toContain("No job is running");
  expect(message).toContain("--idempotency-key 'it'\\''s mine'");
  const again = await extract([file, "-s", schema, ...ownKey, "--json"]);
  expect(again.stdout).toBe(earlier.stdout);
  expect(before - (await service.secondsRemaining())).toBe(60);
});

/** Starts a server that accepts connections and never reads from them. */
async function startUnreadingServer() {
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
  return runHere(["extract", ...words], env(more), input);
}

/** Copies the short video and pads the copy to a number of bytes. */
async function padded(bytes: number): Promise<string> {
  const file = join(home, `${bytes}.mp4`);
  await padVideo(service.video, file, bytes);
  return file;
}
