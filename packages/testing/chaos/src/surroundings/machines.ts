import { execFile } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { StackPart } from "@video-to-json/stack";
import { ffmpegDirectory, findCommand } from "@video-to-json/testing/running";
import { type Clocks, openClocks } from "./clocks.ts";
import type { Link } from "./network.ts";

const run = promisify(execFile);

/** The machine of one worker: what the worker can lose while the others keep theirs. */
type Machine = {
  directory: string;
  part: Pick<StackPart, "name" | "pid" | "signal">;
  provider: Pick<Link, "refuse" | "silence"> | undefined;
  clocks: Pick<Clocks, "shift">;
};

/** A way to make one worker sick. */
export type Sickness = {
  name: string;
  /** Whether it needs a disk of the machine's own, and so root. */
  needsDisk?: boolean;
  /** The alert that names it, if chaos runs inject it. */
  alert?: string;
  /** Begins it. Returns a function that ends it. */
  begin(machine: Machine): Promise<() => unknown>;
};

const hour = 3_600_000;

/** Each resource that a worker can lose. */
export const sicknesses: readonly Sickness[] = [
  { name: "ffmpeg missing", alert: "WorkerSick", begin: async ({ directory }) => moved(join(directory, "programs")) },
  { name: "ffprobe hangs", begin: async ({ directory }) => programmed(directory, "ffprobe", "sleep 600") },
  { name: "ffmpeg writes nonsense", begin: async ({ directory }) => programmed(directory, "ffmpeg", "echo nonsense") },
  { name: "no file handles", alert: "StorageUnavailable", begin: ({ part }) => limited(part.pid, "nofile", () => 12) },
  { name: "no more memory", begin: ({ part }) => limited(part.pid, "as", (used) => used + 64 * 1024 ** 2) },
  { name: "scratch read-only", needsDisk: true, begin: ({ directory }) => readOnly(join(directory, "scratch")) },
  { name: "scratch full", needsDisk: true, begin: async ({ directory }) => filled(join(directory, "scratch")) },
  {
    name: "no way to the provider",
    alert: "ProviderUnreachable",
    begin: async ({ provider }) => proxied(provider).refuse(),
  },
  { name: "provider silent", begin: async ({ provider }) => proxied(provider).silence("to-client") },
  {
    ...{ name: "storage read-only", needsDisk: true },
    begin: async ({ directory }) => boundReadOnly(join(directory, "storage")),
  },
  { name: "no way to storage", needsDisk: true, begin: async ({ directory }) => replaced(join(directory, "storage")) },
  { name: "clock 3 h ahead", begin: async (machine) => shifted(machine, 3 * hour) },
  { name: "clock 3 h behind", begin: async (machine) => shifted(machine, -3 * hour) },
  { name: "no processor", begin: async ({ part }) => stopped(part) },
];

function proxied(link: Machine["provider"]): Pick<Link, "refuse" | "silence"> {
  if (!link) throw new Error("There is no proxy before the provider.");
  return link;
}

/** A shell script in the place of one of the programs. */
function programmed(directory: string, program: string, script: string): () => void {
  const path = join(directory, "programs", program);
  const back = moved(path);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return () => {
    unlinkSync(path);
    back();
  };
}

/** A view of the storage in the place of the link, through which nothing can be written. */
async function boundReadOnly(path: string) {
  const target = readlinkSync(path);
  const back = moved(path);
  mkdirSync(path);
  await run("mount", ["--bind", target, path]);
  await run("mount", ["-o", "remount,bind,ro", path]);
  return async () => {
    await run("umount", ["--lazy", path]);
    rmdirSync(path);
    back();
  };
}

function moved(path: string): () => void {
  renameSync(path, `${path}.away`);
  return () => renameSync(`${path}.away`, path);
}

/** A file in the place of a link to a directory. */
function replaced(path: string): () => void {
  const back = moved(path);
  writeFileSync(path, "");
  return () => {
    unlinkSync(path);
    back();
  };
}

async function limited(pid: number, resource: "nofile" | "as", limitOf: (used: number) => number) {
  const prlimit = (...args: string[]) => run("prlimit", ["--pid", String(pid), ...args]);
  const { stdout: before } = await prlimit(`--${resource}`, "--raw", "--noheadings", "--output=SOFT,HARD");
  const [soft, hard] = before.trim().split(/\s+/);
  const { stdout: pages } = await run("cut", ["-d ", "-f1", `/proc/${pid}/statm`]);
  await prlimit(`--${resource}=${limitOf(Number(pages) * 4096)}:${hard}`);
  // The worker may have died of it.
  return () => prlimit(`--${resource}=${soft}:${hard}`).catch(() => {});
}

async function readOnly(path: string) {
  await run("mount", ["-o", "remount,ro", path]);
  return () => run("mount", ["-o", "remount,rw", path]);
}

function filled(path: string): () => void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, "filler"), Buffer.alloc(bavail * bsize));
  return () => rmSync(join(path, "filler"));
}

function shifted({ clocks, part: { name } }: Machine, ms: number): () => void {
  clocks.shift(name, ms);
  return () => clocks.shift(name, 0);
}

function stopped(part: Machine["part"]): () => void {
  part.signal("SIGSTOP");
  return () => part.signal("SIGCONT");
}

/**
 * Opens the machines: each worker has programs of its own; with `disks`, a small scratch and a way to the shared storage too.
 */
export function openMachines(dataDir: string, nodeOptions: string, disks?: { storage: string }) {
  const clocks = openClocks(dataDir, nodeOptions);
  const mounted: string[] = [];
  const directoryOf = (name: string) => join(dataDir, "machines", name);
  return {
    clocks,
    directoryOf,
    async settingsOf(part: Pick<StackPart, "name" | "app">): Promise<Record<string, string>> {
      const clock = clocks.settingsOf(part);
      if (part.app !== "worker") return clock;
      const directory = directoryOf(part.name);
      const [programs, scratch, storage] = ["programs", "scratch", "storage"].map((name) => join(directory, name));
      mkdirSync(directory, { recursive: true, mode: 0o711 });
      linkPrograms(String(programs));
      const settings = { ...clock, FFMPEG_DIRECTORY: String(programs) };
      if (!disks) return settings;
      mkdirSync(String(scratch));
      await run("mount", ["-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", String(scratch)]);
      mounted.push(String(scratch));
      symlinkSync(disks.storage, String(storage));
      return { ...settings, SCRATCH_DIR: String(scratch), STORAGE_URL: pathToFileURL(String(storage)).href };
    },
    async close() {
      for (const path of mounted) await run("umount", ["--lazy", path]);
    },
  };
}

/** Links each program by itself: a link to their directory would change the programs of every worker and test. */
function linkPrograms(programs: string): void {
  mkdirSync(programs);
  const names = ffmpegDirectory ? readdirSync(ffmpegDirectory) : ["ffmpeg", "ffprobe"];
  for (const name of names) {
    symlinkSync(ffmpegDirectory ? join(ffmpegDirectory, name) : (findCommand(name) ?? ""), join(programs, name));
  }
}
