import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ffmpegDirectory } from "@video-to-json/testing";
import { onTestFinished, test } from "vitest";
import { findConfinement } from "./confinement.ts";

const { seesNoFiles } = await findConfinement();
const { isOneStart } = await findConfinement({ programDirectory: ffmpegDirectory });
const launcher = isOneStart ? join(String(ffmpegDirectory), "launch-confined") : undefined;
const isRoot = process.getuid?.() === 0;
const stranger = 12_345;

/** A hijacked program: it tries everything that it must not be able to do, and prints what succeeded. */
const hostile = `#!/bin/sh
[ "$1" != -version ] || exit 0
for path in $(cat /proc/self/fd/3); do
  if [ "$path" = "\${path#/}" ]; then kill -KILL "$path" && echo "killed $path"; continue; fi
  tr '\\0' '\\n' <"$path" && echo "read $path"
  echo changed >>"$path" && echo "changed $path"
done
for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' <"$file"; done
for directory in /tmp /etc/passwd /root /home /var /run /dev; do ls "$directory" && echo "listed $directory"; done
kill -KILL -1
echo made >/program/made && echo "wrote beside itself"
unshare --user --map-root-user true && echo "became root"
echo copied >/proc/self/fd/4
id
`;

const worker = `
  import { findConfinement } from ${module("./confinement.ts")};
  import { runFfmpeg } from ${module("./run-ffmpeg.ts")};
  const [programDirectory, input, output, ...targets] = process.argv.slice(1);
  const { writeFileSync } = await import("node:fs");
  writeFileSync(input, [process.pid, "/proc/" + process.pid + "/environ", ...targets].join("\\n"), { mode: 0o600 });
  const confinement = await findConfinement({ programDirectory });
  const { stdout } = await runFfmpeg({ input, outputOptions: [], output }, { timeoutMs: 20_000, confinement });
  console.log(stdout.toString());
`;

function module(name: string): string {
  return JSON.stringify(fileURLToPath(import.meta.resolve(name)));
}

/** Runs the hostile program in a worker of this user. Returns its output, without its own name and environment. */
async function takeOver(
  user: number | undefined,
  launcher?: string,
): Promise<{ printed: string[]; copy: string; secret: string }> {
  const root = await mkdtemp(join(tmpdir(), "taken-over-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const secret = `secret-${randomUUID()}`;
  const place = (name: string) => join(root, name);
  for (const name of ["storage", "scratch", "scratch/ours", "scratch/theirs", "programs"])
    await mkdir(place(name), { mode: 0o700 });
  for (const name of ["storage/upload", "scratch/theirs/fetched"])
    await writeFile(place(name), secret, { mode: 0o600 });
  for (const name of ["ffmpeg", "ffprobe"]) await writeFile(place(`programs/${name}`), hostile, { mode: 0o755 });
  if (launcher) await copyFile(launcher, place("programs/launch-confined"));
  await chmod(place("programs"), 0o755);
  for (const name of ["", "storage", "storage/upload", "scratch", "scratch/ours", "scratch/theirs", "programs"])
    if (user !== undefined) await chown(place(name), user, user);
  if (user !== undefined) await chown(place("scratch/theirs/fetched"), user, user);
  const become = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const targets = [place("storage/upload"), place("scratch/theirs/fetched")];
  const places = [place("programs"), place("scratch/ours/fetched"), place("scratch/ours/copy"), ...targets];
  const [program = "", ...args] = [...become, process.execPath, "--input-type=module", "-e", worker, ...places];
  const { stdout } = await promisify(execFile)(program, args, { env: { PATH: process.env.PATH, SECRET: secret } });
  const harmless = /^(|LC_ALL=.*|AV_LOG_FORCE_NOCOLOR=.*|OMP_THREAD_LIMIT=.*|PWD=.*|PATH=.*)$/;
  const printed = stdout.split("\n").filter((line) => !harmless.test(line));
  for (const target of targets) printed.push((await readFile(target, "utf8")).replace(secret, "untouched"));
  return { printed, copy: await readFile(place("scratch/ours/copy"), "utf8"), secret };
}

const untouched = ["untouched", "untouched"];

test.skipIf(!seesNoFiles || !isRoot)(
  "a hijacked ffmpeg runs as a separate user and gets nothing but its video and its copy",
  async ({ expect }) => {
    const { printed, copy } = await takeOver(undefined);
    expect(printed).toEqual(["uid=65534 gid=65534 groups=65534", ...untouched]);
    expect(copy).toBe("copied\n");
  },
);

test.skipIf(!seesNoFiles)(
  "without the rights of root too, a hijacked ffmpeg reaches only its video and its copy",
  async ({ expect }) => {
    const { printed, copy } = await takeOver(isRoot ? stranger : undefined);
    expect(printed).toEqual([expect.stringMatching(/^uid=0 /), ...untouched]);
    expect(copy).toBe("copied\n");
  },
);

test.skipIf(!launcher || !isRoot)(
  "a hijacked ffmpeg that the launcher confines gets no more than that",
  async ({ expect }) => {
    const { printed, copy } = await takeOver(undefined, launcher);
    expect(printed).toEqual(["uid=65534 gid=65534 groups=65534", ...untouched]);
    expect(copy).toBe("copied\n");
  },
);

test.skipIf(!launcher)(
  "without the rights of root, a hijacked ffmpeg that the launcher confines gets no more",
  async ({ expect }) => {
    const { printed, copy } = await takeOver(isRoot ? stranger : undefined, launcher);
    expect(printed).toEqual([expect.stringMatching(/^uid=0 /), ...untouched]);
    expect(copy).toBe("copied\n");
  },
);
