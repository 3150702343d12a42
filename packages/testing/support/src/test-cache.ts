import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./test-environment.ts";

/** The environment variable that names the directory of the cache. Without it nothing is cached. */
export const cacheVariable = "VIDEO_TO_JSON_TEST_CACHE";

// The code and programs that determine the content of a cached file, in addition to its inputs.
const sources = ["packages/testing/support/src/videos", "packages/testing/emulator/src/evidence"];
const programs = [
  ["ffmpeg", "-version"],
  ["tesseract", "--version"],
] as const;
const kinds = ["videos", "evidence"] as const;
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

/** Creates the directory for tests' videos and their evidence. Its name has a hash of the code that writes there. */
export async function createTestCache(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of sources) {
    const path = join(repositoryRoot, folder);
    for (const name of readdirSync(path).sort()) hash.update(name).update(readFileSync(join(path, name)));
  }
  for (const [program, flag] of programs) hash.update(await firstLine(program, flag));
  const parent = join(repositoryRoot, ".local", "test-cache");
  const directory = join(parent, hash.digest("hex").slice(0, 16));
  for (const kind of kinds) mkdirSync(join(directory, kind), { recursive: true });
  utimesSync(directory, new Date(), new Date());
  removeOld(parent, maxAgeMs, directory);
  return directory;
}

/** Removes what is older in a directory, except the current entry. */
export function removeOld(parent: string, maxAgeMs: number, current: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (path !== current && age > maxAgeMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Returns the directory for one kind of cached files, or undefined when nothing is cached. */
export function cacheDirectory(kind: (typeof kinds)[number]): string | undefined {
  const directory = process.env[cacheVariable];
  return directory ? join(directory, kind) : undefined;
}

/** Copies from the cache, or calls `make`. A process that reads the cache meanwhile sees a whole file or none. */
export async function cachedFiles<T extends { key: string; output: string }>(
  files: readonly T[],
  make: (missing: readonly T[]) => Promise<void>,
): Promise<void> {
  const directory = cacheDirectory("videos");
  const keptAs = (key: string) => join(directory ?? "", createHash("sha256").update(key).digest("hex"));
  const missing = directory ? files.filter(({ key, output }) => !copyIfThere(keptAs(key), output)) : files;
  if (missing.length > 0) await make(missing);
  for (const { key, output } of directory ? missing : []) {
    const temporary = `${keptAs(key)}.${randomUUID()}`;
    copyFileSync(output, temporary);
    renameSync(temporary, keptAs(key));
  }
}

/** The same for one file. */
export async function cachedFile(key: string, output: string, make: () => Promise<void>): Promise<void> {
  await cachedFiles([{ key, output }], make);
}

function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function firstLine(program: string, flag: string): Promise<string> {
  const none = { stdout: "missing" };
  const { stdout } = await promisify(execFile)(program, [flag]).catch(() => none);
  return stdout.split("\n", 1)[0] ?? "";
}

const inMemory = "/dev/shm";
/** More than a run ever stores at once: databases of 8 MB each, a write-ahead log of 1 GB, and videos. */
const neededBytes = 4 * 1024 ** 3;

/** Returns the directory for the temporary files of a run: in memory if there is space, otherwise on disk. */
export function fastDirectory(): string {
  return freeBytes(inMemory) >= neededBytes ? inMemory : tmpdir();
}

/** Returns whether a directory is in memory. */
export function isInMemory(directory: string): boolean {
  return directory.startsWith(`${inMemory}/`);
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
