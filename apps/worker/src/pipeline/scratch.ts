import { access, constants, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

type Deps = { readonly scratchDir: string };
type ServiceDeps = Deps & { readonly service: { cancelUploads(notes: string, signal: AbortSignal): Promise<void> } };
type Claim = { id: string; fence: number };

/** Resolves where folders can be made; rejects saying what is in the way. */
export async function scratchReady({ scratchDir }: Deps): Promise<void> {
  await mkdir(scratchDir, { recursive: true, mode: 0o700 });
  await access(scratchDir, constants.R_OK | constants.W_OK | constants.X_OK);
}

/**
 * Makes the folder of one claim of a job, `<job id>.<fence>`, with one for notes in it. Its name alone tells a sweeper
 * whose it was.
 */
export async function openScratch({ scratchDir }: Deps, job: Claim): Promise<string> {
  const path = folderOf(scratchDir, job);
  await mkdir(uploadNotesIn(path), { recursive: true, mode: 0o700 });
  return path;
}

/** The claims whose folders are here. */
export async function listScratch({ scratchDir }: Deps): Promise<Claim[]> {
  return (await namesIn(scratchDir)).flatMap((name) => {
    const [, id, fence] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    return id && fence ? [{ id, fence: Number(fence) }] : [];
  });
}

/**
 * Deletes a claim's folder and all in it, except the notes of uploads to the analysis service that may still be open, if
 * there are any. Says whether it is gone.
 */
export async function deleteScratch({ scratchDir }: Deps, job: Claim): Promise<boolean> {
  const folder = folderOf(scratchDir, job);
  const notes = uploadNotesIn(folder);
  const isGone = (await namesIn(notes)).length === 0;
  const doomed = isGone ? [folder] : (await namesIn(folder)).map((name) => join(folder, name));
  for (const path of doomed) if (path !== notes) await rm(path, { recursive: true, force: true });
  return isGone;
}

/** The folder in a claim's folder where it is noted what it takes to cancel uploads to the analysis service. */
export function uploadNotesIn(scratch: string): string {
  return join(scratch, "upload-notes");
}

/**
 * Deletes the folder of a claim that is no more, and cancels the uploads that it left open. While the analysis service
 * does not take that, their notes stay for another time, and nothing else. Says whether the folder is gone.
 */
export async function deleteDeadScratch(deps: ServiceDeps, job: Claim, signal: AbortSignal): Promise<boolean> {
  if (await deleteScratch(deps, job)) return true;
  await deps.service.cancelUploads(uploadNotesIn(folderOf(deps.scratchDir, job)), signal);
  return deleteScratch(deps, job);
}

function folderOf(scratchDir: string, { id, fence }: Claim): string {
  return join(scratchDir, `${id}.${fence}`);
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
