import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isMachineFault } from "../machine-faults.ts";
import { measure } from "../measure/measure.ts";
import { findConfinement } from "./confinement.ts";
import { runFfmpeg, runFfprobe } from "./run-ffmpeg.ts";
import { openStarter } from "./starter.ts";

const confinement = await findConfinement();
const module = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));

let folder: string;
let clip: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "starter-"));
  clip = join(folder, "clip.mp4");
  await ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=2", "-c:v", "libx264", clip]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a starter. `processes()`: the small processes since then. `pid()`: the id of the last one. */
function openWatchedStarter() {
  const started: ChildProcess[] = [];
  const note = (message: unknown) => started.push((message as { process: ChildProcess }).process);
  // The tests of another file may have left work in this process that starts programs too.
  const processes = () =>
    started.filter(({ spawnargs }) => spawnargs?.some((each) => each.includes("starter-process")));
  subscribe("child_process", note);
  onTestFinished(() => {
    unsubscribe("child_process", note);
    for (const each of processes()) each.kill("SIGKILL");
  });
  const pid = () => processes().at(-1)?.pid ?? 0;
  return { confinement: { ...confinement, start: openStarter() }, pid, processes };
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Starts a run that lasts until it is killed. `program()` is the process that the starter has started. */
function startEndless(given: ReturnType<typeof openWatchedStarter>, signal?: AbortSignal) {
  const input = { input: clip, inputOptions: ["-stream_loop", "-1", "-re"] };
  const limits = { timeoutMs: 60_000, confinement: given.confinement, signal };
  const ended = runFfmpeg({ ...input, outputOptions: ["-f", "rawvideo"], output: "-" }, limits).catch(
    (error: unknown) => error,
  );
  const program = () => Number(readFileSync(`/proc/${given.pid()}/task/${given.pid()}/children`, "utf8").split(" ")[0]);
  return { ended, program };
}

describe.runIf(process.platform === "linux")("a small process that starts programs", () => {
  test("starts all of them, and videos have the measurements that they have without it", async () => {
    const { confinement: small, processes, pid } = openWatchedStarter();
    const runs = Array.from({ length: 3 }, () => measure(clip, { maxVideoSeconds: 60, confinement: small }));
    const measured = await Promise.all(runs);
    expect(processes()).toHaveLength(1);
    expect(readFileSync(`/proc/${pid()}/comm`, "utf8")).toBe("start-programs\n");
    const usual = await measure(clip, { maxVideoSeconds: 60, confinement });
    expect(measured).toEqual([usual, usual, usual]);
  });

  test("hands over files to read and files to write", async () => {
    const { confinement: small } = openWatchedStarter();
    const output = join(folder, "copy.mp4");
    const request = { input: clip, outputOptions: ["-c", "copy", "-f", "mp4"], output };
    await runFfmpeg(request, { timeoutMs: 60_000, confinement: small });
    expect((await measure(output, { maxVideoSeconds: 60, confinement: small })).durationMs).toBe(2000);
  });

  test("knows no setting of the service", async () => {
    const given = openWatchedStarter();
    process.env.DATABASE_URL_OF_TEST = "a secret";
    onTestFinished(() => void delete process.env.DATABASE_URL_OF_TEST);
    await measure(clip, { maxVideoSeconds: 60, confinement: given.confinement });
    expect(readFileSync(`/proc/${given.pid()}/environ`, "utf8")).not.toContain("a secret");
  });

  test("ends a program and its launchers when the run is aborted", async () => {
    const given = openWatchedStarter();
    const abort = new AbortController();
    const { ended, program } = startEndless(given, abort.signal);
    await expect.poll(program).toBeGreaterThan(0);
    const started = program();
    abort.abort();
    expect(await ended).toMatchObject({ reason: "aborted", signal: "SIGKILL" });
    expect(isRunning(started)).toBe(false);
    await measure(clip, { maxVideoSeconds: 60, confinement: given.confinement });
    expect(given.processes()).toHaveLength(1);
  });

  test("ends all programs when it dies: their runs blame this machine, and the next run works", async () => {
    const given = openWatchedStarter();
    const { ended, program } = startEndless(given);
    await expect.poll(program).toBeGreaterThan(0);
    const started = program();
    process.kill(given.pid(), "SIGKILL");
    expect(isMachineFault(await ended)).toBe(true);
    await expect.poll(() => isRunning(started)).toBe(false);
    await measure(clip, { maxVideoSeconds: 60, confinement: given.confinement });
    expect(given.processes()).toHaveLength(2);
  });

  test("ends with the process that uses it, and so do all programs", async () => {
    const script = `
      import { openStarter } from ${module("./starter.ts")};
      import { runFfmpeg } from ${module("./run-ffmpeg.ts")};
      const confinement = { ...${JSON.stringify(confinement)}, start: openStarter() };
      const input = { input: ${JSON.stringify(clip)}, inputOptions: ["-stream_loop", "-1", "-re"] };
      runFfmpeg({ ...input, outputOptions: ["-f", "rawvideo"], output: "-" }, { timeoutMs: 60_000, confinement });
    `;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    await expect.poll(() => descendantsOf(owner.pid ?? 0).length).toBeGreaterThan(1);
    const below = descendantsOf(owner.pid ?? 0);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await expect.poll(() => below.filter(isRunning)).toEqual([]);
  });

  test("lets the process that uses it end when no run is left", () => {
    const script = `
      import { openStarter } from ${module("./starter.ts")};
      import { runFfprobe } from ${module("./run-ffmpeg.ts")};
      const confinement = { ...${JSON.stringify(confinement)}, start: openStarter() };
      const limits = { timeoutMs: 60_000, maxCpuSeconds: 10, confinement };
      const { stdout } = await runFfprobe(${JSON.stringify(clip)}, ["-show_entries", "format=nb_streams"], limits);
      console.log(String(stdout).includes("nb_streams=1"));
    `;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
    expect(String(printed)).toBe("true\n");
  });

  test("keeps little output while the other process is busy", async () => {
    const given = openWatchedStarter();
    let bytes = 0;
    const onStdout = (chunk: Buffer) => {
      const until = bytes === 0 ? performance.now() + 1500 : 0;
      while (performance.now() < until);
      bytes += chunk.length;
    };
    const request = {
      input: clip,
      inputOptions: ["-stream_loop", "40"],
      outputOptions: ["-f", "rawvideo"],
      output: "-",
    };
    await runFfmpeg(request, { timeoutMs: 60_000, confinement: given.confinement, onStdout });
    expect(bytes).toBeGreaterThan(200_000_000);
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${given.pid()}/status`, "utf8"))?.[1];
    expect(Number(peak) * 1024).toBeLessThan(150_000_000);
  });

  test("opens no file of another process after the one that uses it has ended", async () => {
    const ended = spawn("true");
    await once(ended, "exit");
    const entry = fileURLToPath(import.meta.resolve("./starter-process.ts"));
    const starter = fork(entry, [String(ended.pid)], { execArgv: [], serialization: "advanced" });
    onTestFinished(() => void starter.kill("SIGKILL"));
    const file = await open(clip);
    onTestFinished(() => file.close());
    const files = [{ descriptor: file.fd, writes: false }];
    starter.send({ run: 1, start: { command: ["true"], hasOwnGroup: false, files } });
    const [report] = await once(starter, "message");
    expect(report).toEqual({
      run: 1,
      failed: expect.stringContaining(`ENOENT: no such file or directory, open '/proc/`),
    });
  });

  test("blames this machine for a program that does not start", async () => {
    const given = openWatchedStarter();
    const none = { isolated: [], hasView: false, endingWithUs: [], prlimit: null };
    const without = { ...given.confinement, ...none, programDirectory: folder };
    const limits = { timeoutMs: 60_000, maxCpuSeconds: 10, confinement: without };
    const failure = await runFfprobe(clip, [], limits).catch((error: unknown) => error);
    expect(isMachineFault(failure)).toBe(true);
    expect(String(failure)).toContain("ENOENT");
  });
});

function descendantsOf(pid: number): number[] {
  const children = readdirSync("/proc")
    .filter((each) => parentOf(each) === pid)
    .map(Number);
  return [...children, ...children.flatMap(descendantsOf)];
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}
