import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AnalysisProvider } from "@video-to-json/analysis";
import { retry } from "@video-to-json/runtime/timing";

type ScratchDeps = { readonly scratchDir: string };
type Claim = { id: string; fence: number };

/** Free space that a worker needs to take jobs: 64 MiB, or a fiftieth of a small disk, in bytes. */
const minRoom = { bytes: 64 * 1024 ** 2, part: 1 / 50 };

/** Resolves if a file can be written in scratch and there is room; rejects with the reason if not. */
export async function checkScratch({ scratchDir }: ScratchDeps): Promise<void> {
  await mkdir(scratchDir, { recursive: true, mode: 0o700 });
  const path = join(scratchDir, `test-${randomUUID()}`);
  try {
    await writeFile(path, new Uint8Array(64 * 1024), { mode: 0o600 });
  } finally {
    await rm(path, { force: true });
  }
  const { bavail, blocks, bsize } = await statfs(scratchDir);
  if (bavail * bsize < Math.min(minRoom.bytes, blocks * bsize * minRoom.part)) throw new Error("The disk is full.");
}

/** Creates the directory of one claim, `<job id>.<fence>`. The name tells a sweep which claim owned it. */
export async function openScratch({ scratchDir }: ScratchDeps, job: Claim): Promise<string> {
  const path = directoryOf(scratchDir, job);
  await mkdir(uploadRecordsIn(path), { recursive: true, mode: 0o700 });
  return path;
}

/** Returns the claims that have a directory on this machine. */
export async function listScratch({ scratchDir }: ScratchDeps): Promise<Claim[]> {
  return (await namesIn(scratchDir)).flatMap((name) => {
    const [, id, fence] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    return id && fence ? [{ id, fence: Number(fence) }] : [];
  });
}

/** No test of a disk or of the programs takes so long. */
const maxTestMs = 120_000;

/** Deletes the files that tests left when their worker died. */
export async function deleteOldTests({ scratchDir }: ScratchDeps): Promise<void> {
  for (const name of await namesIn(scratchDir)) {
    if (!/^test-[0-9a-f-]{36}(\.mp4)?$/.test(name)) continue;
    const path = join(scratchDir, name);
    // Another worker may delete it meanwhile.
    const file = await stat(path).catch(() => undefined);
    if (file && Date.now() - file.mtimeMs > maxTestMs) await rm(path, { force: true });
  }
}

/**
 * Deletes the directory of a claim. If it holds records of uploads that may still be open, those stay, and
 * everything else is deleted. Returns whether the directory is gone.
 */
export async function deleteScratch({ scratchDir }: ScratchDeps, job: Claim): Promise<boolean> {
  const directory = directoryOf(scratchDir, job);
  const records = uploadRecordsIn(directory);
  const hasNoRecords = (await namesIn(records)).length === 0;
  const paths = hasNoRecords ? [directory] : (await namesIn(directory)).map((name) => join(directory, name));
  for (const path of paths) if (path !== records) await rm(path, { recursive: true, force: true });
  return hasNoRecords;
}

/**
 * Deletes the files of a claim and waits until the disk has room, for two seconds at most: some file systems free deleted files
 * late. If the worker tested its disk earlier, it would blame itself and claim the same job again and again.
 */
export async function freeScratch(deps: ScratchDeps, job: Claim): Promise<void> {
  await deleteScratch(deps, job);
  const pauses = { minDelayMs: 10, maxDelayMs: 200, maxElapsedMs: 2000, isTransient: () => true };
  await retry(() => checkScratch(deps), pauses);
}

/** Returns the directory for upload records. */
export function uploadRecordsIn(scratch: string): string {
  return join(scratch, "upload-records");
}

/**
 * Deletes the directory of a claim that has ended, and cancels the uploads that it left open. While the provider
 * refuses the cancellation, only the records stay. Returns whether the directory is gone.
 */
export async function deleteDeadScratch(
  deps: ScratchDeps & { readonly provider: Pick<AnalysisProvider, "cancelUploads"> },
  job: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  if (await deleteScratch(deps, job)) return true;
  await deps.provider.cancelUploads(uploadRecordsIn(directoryOf(deps.scratchDir, job)), signal);
  return deleteScratch(deps, job);
}

function directoryOf(scratchDir: string, { id, fence }: Claim): string {
  return join(scratchDir, `${id}.${fence}`);
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
