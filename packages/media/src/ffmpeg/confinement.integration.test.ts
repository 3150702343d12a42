import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ffmpeg from "fluent-ffmpeg";
import { expect, test } from "vitest";
import { type Confinement, findConfinement, gapsOf, launchersOf } from "./confinement.ts";
import { runLimited } from "./limited-process.ts";
import { findProgramFaults, handOver } from "./run-ffmpeg.ts";

const run = promisify(execFile);
const module = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const confinement = await findConfinement();
const { withoutNetwork, seesNoProcesses, seesNoFiles, endingWithUs, prlimit } = confinement;

test.skipIf(!withoutNetwork)("a program without network access cannot reach this machine", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dial = ["bash", "-c", `echo > /dev/tcp/127.0.0.1/${port}`];
  await run("bash", dial.slice(1));
  const [program = "", ...args] = [...launchersOf(confinement), ...dial];
  await expect(run(program, args)).rejects.toThrow(/unreachable/);
  expect(connections).toBe(1);
  server.close();
});

test.skipIf(!seesNoProcesses)(
  "a program sees neither this process nor its environment, and does not have the rights of root",
  async () => {
    const look = `for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' <"$file"; done; grep -h CapEff /proc/self/status
    ls -d /proc/${process.pid}; mount -t tmpfs none /usr; true`;
    const secret = `secret-${randomUUID()}`;
    const [program = "", ...args] = [...launchersOf(confinement), "sh", "-c", look];
    const worker = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { env: { SECRET: secret } });
    const environment = () => readFile(`/proc/${worker.pid}/environ`, "latin1");
    await expect.poll(environment).toContain(secret);
    const { stdout, stderr } = await run(program, args, { env: { PATH: process.env.PATH } });
    worker.kill("SIGKILL");
    expect(stdout).not.toContain(secret);
    expect(stdout).toMatch(/^PATH=.*$/m);
    expect(stdout).toMatch(/^CapEff:\s0+$/m);
    expect(stderr).toMatch(/No such file/);
    expect(stderr).toMatch(/mount: .*denied|must be superuser/);
  },
);

test.skipIf(!withoutNetwork)("ffmpeg runs without network access, whatever the protocol of its input", async () => {
  const command = ffmpeg().input("http://127.0.0.1:9/").output("-").outputOptions("-f", "null");
  await expect(runLimited("ffmpeg", command, { ...ample, timeoutMs: 10_000 })).rejects.toMatchObject({
    reason: "exit",
    stderr: expect.stringMatching(/unreachable/),
  });
});

const ample = {
  confinement,
  maxMemoryBytes: 2 ** 32,
  maxCpuSeconds: 60,
  maxFileBytes: 2 ** 30,
  maxStdoutBytes: 2 ** 20,
};
const endless = () =>
  ffmpeg().input("testsrc2=size=640x480:rate=30").inputFormat("lavfi").output("-").outputOptions("-f", "null");

test.skipIf(prlimit === null)("the kernel ends a run that exceeds its CPU time, and the file is blamed", async () => {
  let kills = 0;
  const counting = { ...confinement, onKilled: () => kills++ };
  const limits = { ...ample, confinement: counting, maxCpuSeconds: 1, timeoutMs: 30_000 };
  await expect(runLimited("ffmpeg", endless(), limits)).rejects.toMatchObject({ reason: "exit" });
  const silent = endless().inputOptions("-v", "quiet");
  await expect(runLimited("ffmpeg", silent, limits)).rejects.toMatchObject({ reason: "exit", signal: "SIGKILL" });
  expect(kills).toBe(2);
});

test.skipIf(prlimit === null)("the kernel limits the memory of a run", async () => {
  const command = () =>
    ffmpeg()
      .input("color=size=64x48")
      .inputFormat("lavfi")
      .output("-")
      .outputOptions("-frames:v", "1", "-f", "framecrc");
  const limits = { ...ample, timeoutMs: 30_000 };
  expect((await runLimited("ffmpeg", command(), limits)).stdout.toString()).toMatch(/^0, /m);
  // Not enough memory for the program itself. With a little more, ffmpeg starts and then waits for memory until its
  // timeout.
  const starved = { ...limits, maxMemoryBytes: 20_000_000 };
  await expect(runLimited("ffmpeg", command(), starved)).rejects.toThrow("cannot start");
});

test.skipIf(prlimit === null)("the kernel limits the size of a file that a run writes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "confinement-"));
  const output = join(folder, "large.raw");
  await writeFile(output, "");
  {
    await using files = await handOver(confinement, { input: output, output });
    const command = endless().output(files.output).outputOptions("-y", "-f", "rawvideo");
    const limits = { ...ample, descriptors: files.descriptors, maxFileBytes: 1_000_000, timeoutMs: 30_000 };
    await expect(runLimited("ffmpeg", command, limits)).rejects.toMatchObject({ reason: "exit" });
  }
  expect((await stat(output)).size).toBe(1_000_000);
  await rm(folder, { recursive: true });
});

test.skipIf(endingWithUs.length === 0)("ffmpeg ends when the process that started it is killed", async () => {
  const mark = `comment=${randomUUID()}`;
  const script = `
    import ffmpeg from ${module("fluent-ffmpeg")};
    import { runLimited } from ${module("./limited-process.ts")};
    const command = ffmpeg().input("testsrc2=size=64x48").inputFormat("lavfi").inputOptions("-re")
      .output("-").outputOptions("-v", "quiet", "-nostats", "-metadata", process.argv[1], "-f", "null");
    await runLimited("ffmpeg", command, ${JSON.stringify({ ...ample, timeoutMs: 60_000 })});
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script, mark], { stdio: "inherit" });
  await expect.poll(() => commandsWith(mark)).toContainEqual(expect.stringMatching(/^ffmpeg|\/ffmpeg/));
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await expect.poll(() => commandsWith(mark)).toEqual([]);
});

test("the programs of another directory are used, and reported if they are missing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "programs-"));
  expect(await findProgramFaults(await findConfinement({ programDirectory: directory }))).toHaveLength(2);
  for (const program of ["ffmpeg", "ffprobe"])
    await writeFile(join(directory, program), "#!/bin/sh\necho from elsewhere\n", { mode: 0o755 });
  const elsewhere = await findConfinement({ programDirectory: directory });
  expect(await findProgramFaults(elsewhere)).toEqual([]);
  const { stdout } = await runLimited("ffmpeg", ffmpeg().input("none"), {
    ...ample,
    ...{ confinement: elsewhere, timeoutMs: 10_000 },
  });
  expect(stdout.toString()).toBe("from elsewhere\n");
  await rm(directory, { recursive: true });
});

test("a launcher that starts programs but confines nothing is a gap", async () => {
  const directory = await mkdtemp(join(tmpdir(), "programs-"));
  const names = ["ffmpeg", "ffprobe", "launch-confined"];
  for (const name of names) await writeFile(join(directory, name), "#!/bin/sh\n", { mode: 0o755 });
  const found = await findConfinement({ programDirectory: directory });
  expect(found.failures).toContain("launch-confined proves nothing");
  expect(gapsOf(found)).toContainEqual(expect.stringMatching(/start other programs/));
  await rm(directory, { recursive: true });
});

test.skipIf(!seesNoFiles)("programs that are links are confined like others", async () => {
  const [links, directory] = await Promise.all(["links-", "programs-"].map((name) => mkdtemp(join(tmpdir(), name))));
  for (const program of ["ffmpeg", "ffprobe"]) {
    await writeFile(join(directory ?? "", program), "#!/bin/sh\n", { mode: 0o755 });
    await symlink(join(directory ?? "", program), join(links ?? "", program));
  }
  await chmod(directory ?? "", 0o755);
  expect(await findConfinement({ programDirectory: links })).toMatchObject({ seesNoFiles: true });
  for (const made of [links, directory]) await rm(made ?? "", { recursive: true });
});

test.skipIf(!seesNoProcesses)(
  "if nothing can be isolated, ffmpeg still runs, and the reasons are reported",
  async () => {
    const script = `
    import { findConfinement } from ${module("./confinement.ts")};
    import { findProgramFaults } from ${module("./run-ffmpeg.ts")};
    const confinement = await findConfinement();
    console.log(JSON.stringify({ confinement, faults: await findProgramFaults(confinement) }));
  `;
    const forbidden = `echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all "$@"`;
    const node = [process.execPath, "--input-type=module", "-e", script];
    const { stdout } = await run("unshare", ["-U", "-r", "sh", "-c", forbidden, "sh", ...node]);
    const found = JSON.parse(stdout) as { confinement: Confinement; faults: string[] };
    expect(found.faults).toEqual([]);
    expect(found.confinement).toMatchObject({ isolated: [], seesNoFiles: false, hasOwnUser: false });
    expect(found.confinement.failures).toContainEqual(expect.stringMatching(/unshare failed: Operation not permitted/));
    expect(gapsOf(found.confinement)).toHaveLength(5);
    // Only the launcher closes this one.
    expect(gapsOf(confinement).slice(seesNoFiles ? 0 : 1)).toEqual([expect.stringMatching(/start other programs/)]);
  },
);

/** Returns the programs that run with this argument. */
async function commandsWith(argument: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines
    .map((line) => line.split("\0"))
    .filter((words) => words.includes(argument))
    .map(([program = ""]) => program);
}
