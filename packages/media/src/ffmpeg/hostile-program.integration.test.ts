import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, chown, copyFile, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ffmpegDirectory, makeVideo } from "@video-to-json/testing";
import { onTestFinished, test } from "vitest";
import { canReadScreenText } from "../screen-text/read-screen-text.ts";
import { findConfinement } from "./confinement.ts";

const { failures } = await findConfinement({ programDirectory: ffmpegDirectory });
// A machine may have no Landlock. A launcher that does not close a door must not skip these tests.
const refused = failures.some((failure) => /^launch-confined: (landlock|seccomp|close_range): /.test(failure));
const isPossible = ffmpegDirectory !== undefined && !refused;
const launcher = join(String(ffmpegDirectory), "launch-confined");
const hostileSource = fileURLToPath(import.meta.resolve("./testing/hostile-program.c"));
const isRoot = process.getuid?.() === 0;
const stranger = 12_345;

function module(name: string): string {
  return JSON.stringify(fileURLToPath(import.meta.resolve(name)));
}

/** Node code of a worker whose ffmpeg is the hostile program of `testing`. Prints the outcome of each attempt. */
const attackedWorker = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { readFile, writeFile } from "node:fs/promises";
  import { findConfinement, gapsOf } from ${module("./confinement.ts")};
  import { runFfmpeg } from ${module("./run-ffmpeg.ts")};
  import { openStarter } from ${module("./starter.ts")};
  const [root, way, ...attempts] = process.argv.slice(1);
  const found = await findConfinement({ programDirectory: root + "/programs" });
  const open = { isolated: [], hasView: false, hasOwnUser: false, endingWithUs: [] };
  const confinement = way === "open" ? { ...found, ...open } : { ...found, start: openStarter() };
  const [input, output] = [root + "/ours/input", root + "/ours/copy"];
  const outcomes = {};
  for (const attempt of attempts) {
    const victim = spawn("sleep", ["600"], { stdio: "ignore" });
    await once(victim, "spawn");
    await writeFile(input, attempt.replace("VICTIM", victim.pid).replace("WORKER", process.pid));
    outcomes[attempt] = await runFfmpeg({ input, outputOptions: [], output }, { timeoutMs: 60_000, confinement }).then(
      ({ stdout }) => stdout.toString().trim(),
      (error) => error.signal ?? String(error.stderr ?? error),
    );
    victim.kill("SIGKILL");
  }
  console.log(JSON.stringify({ outcomes, gaps: gapsOf(found), found, copy: await readFile(output, "utf8") }));
`;

const asStranger = isRoot ? ["setpriv", `--reuid=${stranger}`, `--regid=${stranger}`, "--clear-groups"] : [];
const nobody = ["unshare", "-U", "--map-user=65534", "--map-group=65534", "--keep-caps", "sh", "-c"];
const withoutRights = "setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs";
const places = {
  "as root": { start: [], found: { hasView: true, hasOwnUser: true } },
  "with user namespaces": { start: asStranger, found: { hasView: true, hasOwnUser: false } },
  // As by the default rules of Docker and Kubernetes.
  "without user namespaces and capabilities": {
    start: [...nobody, `echo 0 >/proc/sys/user/max_user_namespaces && exec ${withoutRights} "$@"`, "sh"],
    found: { hasView: false, hasOwnUser: false },
  },
};

/** What must not succeed. The files exist, and the worker itself may do all of this to them. */
function attemptsOn(root: string): string[] {
  const theirs = [`${root}/storage/upload`, `${root}/theirs/fetched`];
  const processes = ["VICTIM", "WORKER", "self"].map((id) => `/proc/${id}/environ`);
  return [
    ...[...theirs, ...processes, "/etc/passwd", "/dev/zero"].map((path) => `read ${path}`),
    ...[...theirs, `${root}/ours/input`, "/proc/self/fd/3"].map((path) => `write ${path}`),
    ...["/tmp", root, `${root}/programs`, `${root}/ours`].map((path) => `make ${path}/${randomUUID()}`),
    ...["/", "/proc", "/tmp", root].map((path) => `list ${path}`),
    ...theirs.map((path) => `mode ${path}`),
    ...["tcp", "udp", "unix", "pair", "send", "fork", "clone", "clone3", "program", "itself", "descriptor"],
    ...["trace", "memory", "priority", "limit", "kill"].map((name) => `${name} VICTIM`),
    ...["user", "keys", "bpf", "events", "faults", "ring", `mount ${root}/ours`],
  ];
}

/** Calls that only an attacker makes: the kernel ends the program. */
const deadly = /^(tcp|udp|unix|pair|send|program|itself|trace|memory|user|keys|bpf|events|faults|ring|mount)\b/;

async function attack(start: readonly string[], way: "confined" | "open") {
  const root = await mkdtemp(join(tmpdir(), "attacked-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const place = (name: string) => join(root, name);
  const files = ["storage/upload", "theirs/fetched"];
  for (const name of ["storage", "ours", "theirs", "programs"]) await mkdir(place(name));
  for (const name of files) await writeFile(place(name), "secret", { mode: 0o600 });
  await copyFile(launcher, place("programs/launch-confined"));
  await promisify(execFile)("cc", ["-pthread", "-o", place("programs/ffmpeg"), hostileSource]);
  await copyFile(place("programs/ffmpeg"), place("programs/ffprobe"));
  if (start === asStranger && isRoot)
    for (const name of ["", "storage", "ours", "theirs", "programs", ...files])
      await chown(place(name), stranger, stranger);
  await chmod(root, 0o755);
  // A descriptor that the worker inherited from whatever started it.
  const inherited = await open(place("theirs/fetched"));
  onTestFinished(() => inherited.close());
  const attempts = attemptsOn(root);
  const node = [
    process.execPath,
    "--input-type=module",
    "-e",
    attackedWorker,
    root,
    way,
    ...attempts,
    "thread",
    "copy copied",
  ];
  const [program = "", ...args] = [...start, ...node];
  const stdio = ["ignore", "pipe", "inherit", ...Array<"ignore">(6).fill("ignore"), inherited.fd] as const;
  const worker = spawn(program, args, { stdio: [...stdio], env: { PATH: process.env.PATH, SECRET: "secret" } });
  const stdout = worker.stdout ? await text(worker.stdout) : "";
  const result = JSON.parse(stdout) as {
    outcomes: Record<string, string>;
    gaps: string[];
    found: object;
    copy: string;
  };
  return { ...result, attempts, contents: await Promise.all(files.map((name) => readFile(place(name), "utf8"))) };
}

test.runIf(isPossible).for(Object.entries(places))(
  "%s, a hijacked program in the jail gets nothing but threads, its video and its copy",
  async ([name, { start, found }], { expect, skip }) => {
    skip(name === "as root" && !isRoot);
    const ended = await attack(start, "confined");
    expect(ended.found).toMatchObject({ seesNoFiles: true, ...found });
    expect(ended.gaps).toEqual([]);
    for (const attempt of ended.attempts)
      expect(`${attempt}: ${ended.outcomes[attempt]}`).toMatch(
        deadly.test(attempt)
          ? /: SIGSYS$/
          : /: (Operation not permitted|Permission denied|No such |Function not|Bad file)/,
      );
    expect(ended.outcomes).toMatchObject({ thread: "succeeded", "copy copied": "succeeded" });
    expect(ended).toMatchObject({ copy: "copied", contents: ["secret", "secret"] });
  },
);

test.runIf(isPossible && isRoot)(
  "outside of the jail each attempt succeeds, so the jail refuses it",
  async ({ expect }) => {
    const { outcomes } = await attack([], "open");
    const refused = Object.entries(outcomes).filter(([, outcome]) => outcome !== "succeeded");
    expect(refused).toEqual([]);
  },
);

/** Node code of a worker that handles an honest video with every program. Prints what it got. */
const honestWorker = `
  import { findConfinement, measure, openStarter, prepareForProvider, readScreenTexts } from ${module("../index.ts")};
  const [scratchDir, programDirectory, input, readsText] = process.argv.slice(1);
  const confinement = { ...(await findConfinement({ programDirectory })), start: openStarter() };
  const video = await measure(input, { maxVideoSeconds: 600, confinement });
  // A provider that reads neither the container nor the codec of the video.
  const readable = { containers: { webm: "any" }, videoCodecs: ["vp8"], maxFileBytes: 1e9 };
  const copy = await prepareForProvider(input, video, { readable, scratchDir, confinement });
  const text = readsText && (await readScreenTexts(input, [500, 700], { reading: "all", scratchDir, confinement }));
  console.log(JSON.stringify({ hasView: confinement.hasView, durationMs: video.durationMs, copy: copy.mimeType, text }));
`;

test.runIf(isPossible).for(Object.entries(places))(
  "%s, a small process starts the programs that measure, encode and read an honest video in the jail",
  async ([name, { start, found }], { expect, skip }) => {
    skip(name === "as root" && !isRoot);
    const root = await mkdtemp(join(tmpdir(), "honest-"));
    onTestFinished(() => rm(root, { recursive: true }));
    const video = join(root, "video.mp4");
    await makeVideo({ scenes: [{ seconds: 1, color: "blue", text: "Final score 3" }], width: 640, height: 360 }, video);
    await chmod(root, 0o755);
    await mkdir(join(root, "scratch"));
    if (start === asStranger && isRoot) await chown(join(root, "scratch"), stranger, stranger);
    const readsText = canReadScreenText() ? ["yes"] : [];
    const node = [process.execPath, "--input-type=module", "-e", honestWorker, join(root, "scratch")];
    const [program = "", ...args] = [...start, ...node, String(ffmpegDirectory), video, ...readsText];
    const { stdout } = await promisify(execFile)(program, args);
    const wanted = { hasView: found.hasView, durationMs: 1000, copy: "video/webm" };
    expect(JSON.parse(stdout)).toEqual({
      ...wanted,
      ...(readsText.length > 0 ? { text: ["Final score 3", "Final score 3"] } : {}),
    });
  },
);
