import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findConfinement } from "./confinement.ts";

const run = promisify(execFile);
const found = await findConfinement();
const { prlimit } = found;

let folder: string;
let clip: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "machine-faults-"));
  clip = join(folder, "clip.mp4");
  const source = "testsrc=size=64x48:rate=10:duration=2";
  await ffmpeg(["-f", "lavfi", "-i", source, "-c:v", "libx264", clip]);
});
afterAll(() => rm(folder, { recursive: true }));

const module = (name: string) => JSON.stringify(fileURLToPath(import.meta.resolve(name)));
const script = `
  import { closeSync, openSync } from "node:fs";
  import { fetchVideo } from ${module("../fetch/fetch-video.ts")};
  import { runFfmpeg } from ${module("./run-ffmpeg.ts")};
  import { findConfinement } from ${module("./confinement.ts")};
  const [clip, tasks] = process.argv.slice(1);
  const limits = { allowHosts: ["127.0.0.1:9"], maxBytes: 1, totalMs: 20_000, minBytesPerSecond: 0 };
  const confinement = JSON.parse(process.env.CONFINEMENT ?? "null") ?? (await findConfinement());
  const endings = [];
  for (const { output = "-", leave, url } of JSON.parse(tasks)) {
    const request = { input: clip, outputOptions: ["-v", "error", "-f", "rawvideo"], output };
    const work = () => url ? fetchVideo(url, async (bytes) => { for await (const _ of bytes); }, limits) : runFfmpeg(request, { timeoutMs: 20_000, confinement });
    const taken = [];
    try { while (leave !== undefined) taken.push(openSync("/dev/null")); } catch {}
    for (const descriptor of taken.splice(0, leave)) closeSync(descriptor);
    const ended = await work().then(() => "done", (error) => error);
    for (const descriptor of taken) closeSync(descriptor);
    endings.push(ended === "done" ? ended : { name: ended.name, code: ended.code, message: ended.message });
  }
  console.log(JSON.stringify(endings));
`;

type Scarcity = { bounds?: string[]; env?: Record<string, string> };

/** Fetches `url`, or decodes the clip, while only `leave` more files can be opened. */
type Task = { output?: string; leave?: number; url?: string };

/** Runs the tasks one after the other in a process with few resources. Returns the result or the error of each. */
async function runIn({ bounds = [], env = {} }: Scarcity, tasks: readonly Task[] = [{}]): Promise<unknown[]> {
  const node = [process.execPath, "--input-type=module", "-e", script, clip, JSON.stringify(tasks)];
  const [program = "", ...args] = bounds.length > 0 ? [prlimit ?? "", ...bounds, ...unprivileged, ...node] : node;
  // Another program may need another confinement.
  const known = env.FFMPEG_PATH ? {} : { CONFINEMENT: JSON.stringify(found) };
  const { stdout } = await run(program, args, { env: { PATH: process.env.PATH ?? "", ...known, ...env } });
  return JSON.parse(stdout);
}

// A process with this capability may raise its hard limits.
const unprivileged = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-sys_resource"] : [];

test.skipIf(prlimit === null)("a process with a low limit of open files can still start a run", async () => {
  expect(await runIn({ bounds: ["--nofile=45:45"] })).toEqual(["done"]);
});

test.skipIf(prlimit === null)("an output larger than this process may write is not blamed on the video", async () => {
  const output = join(folder, "pictures");
  expect(await runIn({ bounds: ["--fsize=20000:20000"] }, [{ output }])).toMatchObject([
    { name: "MachineFault", message: expect.stringContaining("too few resources on this machine") },
  ]);
});

test.skipIf(prlimit === null)(
  "with too few file descriptors left, no run starts, no server is blamed, and the error says why",
  async () => {
    const fetches = ["http://127.0.0.1:9/", "http://films.example/"];
    const tasks: Task[] = [{ leave: 0 }, { leave: 3 }, ...fetches.map((url) => ({ leave: 0, url }))];
    const notBlamed = { name: "Error", code: expect.not.stringContaining("video_unreachable") };
    const noRun = { name: "Error", code: "EMFILE" };
    expect(await runIn({ bounds: ["--nofile=60:60"] }, tasks)).toMatchObject([noRun, noRun, notBlamed, notBlamed]);
  },
);

test.each([
  ["a launcher", "prlimit: failed to set the NOFILE resource limit: Operation not permitted", 1],
  ["the loader", "ffmpeg: error while loading shared libraries", 127],
])("a failure of %s is not blamed on the video, and the error holds its message", async (_, words, code) => {
  const program = join(folder, `program-${code}`);
  await writeFile(program, `#!/bin/sh\necho '${words}' >&2\nexit ${code}\n`);
  await chmod(program, 0o755);
  expect(await runIn({ env: { FFMPEG_PATH: program, FFPROBE_PATH: program } })).toMatchObject([
    { name: "MachineFault", message: expect.stringContaining(words) },
  ]);
});
