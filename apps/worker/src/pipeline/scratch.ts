import { access, constants, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

type Deps = { readonly scratchDir: string };
type DeathDeps = Deps & { readonly service: { cancelUpload(uploadNote: string): Promise<boolean> } };
type Claim = { id: string; fence: number };

/** Resolves where folders can be made; rejects saying what is in the way. */
export async function scratchReady({ scratchDir }: Deps): Promise<void> {
  await mkdir(scratchDir, { recursive: true, mode: 0o700 });
  await access(scratchDir, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Makes the folder of one claim of a job, `<job id>.<fence>`: its name alone tells a sweeper whose it was. */
export async function openScratch({ scratchDir }: Deps, job: Claim): Promise<string> {
  const path = join(scratchDir, `${job.id}.${job.fence}`);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

/** The claims whose folders are here. */
export async function listScratch({ scratchDir }: Deps): Promise<Claim[]> {
  const names = await readdir(scratchDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.flatMap((name) => {
    const [, id, fence] = /^([0-9a-f-]{36})\.(\d+)$/.exec(name) ?? [];
    return id && fence ? [{ id, fence: Number(fence) }] : [];
  });
}

/** Deletes a claim's folder and all in it. */
export async function deleteScratch({ scratchDir }: Deps, job: Claim): Promise<void> {
  await rm(join(scratchDir, `${job.id}.${job.fence}`), { recursive: true, force: true });
}

/** Where in a claim's folder stands what it takes to cancel its upload to the analysis service. */
export function uploadNoteIn(scratch: string): string {
  return join(scratch, "upload-note");
}

/**
 * Deletes the folder of a claim whose worker died, once the upload that it was at is cancelled; throws when the analysis
 * service cannot be reached, and leaves the folder for another time.
 */
export async function deleteDeadScratch(deps: DeathDeps, job: Claim): Promise<void> {
  await deps.service.cancelUpload(uploadNoteIn(join(deps.scratchDir, `${job.id}.${job.fence}`)));
  await deleteScratch(deps, job);
}
