import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ffmpegDirectory, findCommand } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { provePrograms } from "./prove-programs.ts";

const names = ["ffmpeg", "ffprobe"] as const;

test.each([
  ["hangs", "sleep 600"],
  ["runs and fails", "exit 1"],
  ["says nothing", "exit 0"],
  ["writes nonsense", "echo nonsense"],
  ["says that no video has streams", 'echo \'{"streams":[],"format":{}}\''],
])("programs prove that they work; ffmpeg or ffprobe that %s does not", async (_what, body) => {
  const folder = await mkdtemp(join(tmpdir(), "prove-programs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [programs, directory] = [join(folder, "programs"), join(folder, "scratch")];
  await mkdir(programs);
  const real = (name: string) => (ffmpegDirectory ? join(ffmpegDirectory, name) : (findCommand(name) ?? name));
  for (const name of names) await symlink(real(name), join(programs, name));
  const confinement = await findConfinement({ programDirectory: programs });
  await provePrograms({ confinement, directory });
  for (const name of names) {
    await rm(join(programs, name));
    await writeFile(join(programs, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const signal = AbortSignal.timeout(4000);
    await expect(provePrograms({ confinement, directory, signal })).rejects.toBeDefined();
    await rm(join(programs, name));
    await symlink(real(name), join(programs, name));
  }
  expect(await readdir(directory)).toEqual([]);
});
