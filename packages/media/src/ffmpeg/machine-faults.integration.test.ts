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
  const [clip, output, leave, url] = process.argv.slice(1);
  const request = { input: clip, outputOptions: ["-v", "error", "-f", "rawvideo"], output };
  const limits = { allowHosts: ["127.0.0.1:9"], maxBytes: 1, totalMs: 20_000, minBytesPerSecond: 0 };
  const work = () => url ? fetchVideo(url, output, limits) : runFfmpeg(request, { timeoutMs: 20_000, confinement });
  const confinement = JSON.parse(process.env.CONFINEMENT ?? "null") ?? (await findConfinement());
  const taken = [];
  try { while (leave) taken.push(openSync("/dev/null")); } catch {}
  for (const descriptor of taken.splice(0, Number(leave))) closeSync(descriptor);
  const ended = await work().then(() => "done", (error) => error);
  for (const descriptor of taken) closeSync(descriptor);
  console.log(JSON.stringify(ended === "done" ? ended : { name: ended.name, code: ended.code, message: ended.message }));
`;

type Scarcity = { bounds?: string[]; output?: string; leave?: string; url?: string; env?: Record<string, string> };

/** Fetches the URL, or decodes the clip, in a process with few resources. Returns the result or the error. */
async function runIn({ bounds = [], output = "-", leave = "", url = "", env = {} }: Scarcity): Promise<unknown> {
  const node = [process.execPath, "--input-type=module", "-e", script, clip, output, leave, url];
  const [program = "", ...args] = bounds.length > 0 ? [prlimit ?? "", ...bounds, ...unprivileged, ...node] : node;
  // Another program may need another confinement.
  const known = env.FFMPEG_PATH ? {} : { CONFINEMENT: JSON.stringify(found) };
  const { stdout } = await run(program, args, { env: { PATH: process.env.PATH ?? "", ...known, ...env } });
  return JSON.parse(stdout);
}

// A process with this capability may raise its hard limits.
const unprivileged = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-sys_resource"] : [];

test.skipIf(prlimit === null)("a process with a low limit of open files can still start a run", async () => {
  expect(await runIn({ bounds: ["--nofile=45:45"] })).toBe("done");
});

test.skipIf(prlimit === null)("an output larger than this process may write is not blamed on the video", async () => {
  const output = join(folder, "pictures");
  expect(await runIn({ bounds: ["--fsize=20000:20000"], output })).toMatchObject({
    name: "Error",
    message: expect.stringContaining("too few resources on this machine"),
  });
});

test.skipIf(prlimit === null).each(["0", "3"])(
  "with %s file descriptors left, no run starts, and the error says why",
  async (leave) => {
    expect(await runIn({ bounds: ["--nofile=60:60"], leave })).toMatchObject({ name: "Error", code: "EMFILE" });
  },
);

test.skipIf(prlimit === null).each(["http://127.0.0.1:9/", "http://films.example/"])(
  "without file descriptors, %s is not blamed",
  async (url) => {
    const scarcity = { bounds: ["--nofile=60:60"], output: join(folder, "fetched"), leave: "0", url };
    expect(await runIn(scarcity)).toMatchObject({
      name: "Error",
      code: expect.not.stringContaining("video_unreachable"),
    });
  },
);

test.each([
  ["a launcher", "prlimit: failed to set the NOFILE resource limit: Operation not permitted", 1],
  ["the loader", "ffmpeg: error while loading shared libraries", 127],
])("a failure of %s is not blamed on the video, and the error holds its message", async (_, words, code) => {
  const program = join(folder, `program-${code}`);
  await writeFile(program, `#!/bin/sh\necho '${words}' >&2\nexit ${code}\n`);
  await chmod(program, 0o755);
  expect(await runIn({ env: { FFMPEG_PATH: program, FFPROBE_PATH: program } })).toMatchObject({
    name: "Error",
    message: expect.stringContaining(words),
  });
});
