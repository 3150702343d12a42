import { open } from "node:fs/promises";
import { Problem } from "@video-to-json/contract";
import type { VideoFile } from "../../analysis-provider.ts";
import { displayNameOf, listCopies } from "../copies/list-copies.ts";
import type { RemoteFile } from "../copies/remote-file.ts";
import type { Connection } from "../wire/connection.ts";
import { type Patience, type PatientRun, pauseAfter, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { refusedUpload } from "./refused-upload.ts";
import { noteUpload } from "./upload-notes.ts";
import { startUpload, type UploadPosition, type UploadSession, type UploadSource } from "./upload-session.ts";

export type UploadDeps = { connection: Connection; sdk: Sdk; patience: Patience };

/** What a run knows of copies it may have left: names to delete, and how many there may be whose name it never heard. */
export type Traces = { names: Set<string>; unnamed: number };

const mostSessions = 3;
const cancelMs = 2_000;
// A list that cannot be had is no reason to end: the video can be uploaded anew.
const listTries = 3;

/**
 * Uploads the video, resuming after breaks, beginning anew when a session is lost. Throws Problem
 * (`provider_unavailable`, `media_unreadable`, `file_too_large`) or the reason of the run's signal; then the session is
 * cancelled. The note of one that could not be cancelled stays. Every copy that came of it, or may have, stands in
 * `traces`.
 */
export async function uploadVideo(
  deps: UploadDeps,
  video: VideoFile,
  run: PatientRun,
  traces: Traces,
): Promise<RemoteFile> {
  await using handle = await open(video.path, "r");
  const source: UploadSource = { handle, size: (await handle.stat()).size };
  for (let sessions = 1; ; sessions++) {
    const start = () => startUpload(deps.connection, video, source, run.signal);
    const session = await withPatience(deps.patience, run, "start of upload", start).catch((error: unknown) => {
      throw error instanceof ServiceFault ? refusedUpload(deps.patience, run, error) : error;
    });
    const forget = await noteUpload(video.uploadNotes, session.address).catch(async (error: unknown) => {
      await session.cancel(AbortSignal.timeout(cancelMs)).catch(() => undefined);
      throw error;
    });
    const end = await runSession(deps, { ...session, forget }, video, source, run, traces);
    if (end.kind === "stored") return end.file;
    if (sessions >= mostSessions) throw refusedUpload(deps.patience, run, end.fault);
    await pauseAfter(deps.patience, run, "upload session", end.fault, sessions);
  }
}

type SessionEnd = { kind: "stored"; file: RemoteFile } | { kind: "dead"; fault: ServiceFault };

async function runSession(
  deps: UploadDeps,
  session: UploadSession & { forget(): Promise<void> },
  video: VideoFile,
  source: UploadSource,
  run: PatientRun,
  traces: Traces,
): Promise<SessionEnd> {
  let position: UploadPosition = { kind: "at", offset: 0 };
  let furthest = -1;
  let breaks = 0;
  let finalizing = false;
  try {
    while (position.kind === "at") {
      const { offset } = position;
      if (offset > furthest) breaks = 0;
      furthest = Math.max(furthest, offset);
      finalizing ||= session.endsWith(offset);
      try {
        position = await session.advance(offset, run.signal);
      } catch (error) {
        position = await realign(error);
      }
    }
  } catch (error) {
    // Whether the last bytes made it a copy is not known now; the listing at the end of the run finds out.
    if (finalizing) traces.unnamed++;
    await cancel();
    throw error;
  }
  // A session that the service may still hold open would keep the bytes it has.
  if (position.kind === "dead" && !position.over) await cancel();
  else await session.forget();
  if (position.kind === "stored" && position.file) {
    traces.names.add(position.file.name);
    if (isWhole(position.file, source)) return { kind: "stored", file: position.file };
    return dead("The stored copy has another size than the video.");
  }
  if (!finalizing)
    return position.kind === "dead" ? position : dead("The upload ended before its last bytes were sent.");
  traces.unnamed++;
  const found = await findCopy(deps, video, source, run, traces);
  if (found) return { kind: "stored", file: found };
  return position.kind === "dead" ? position : dead("The upload ended without a copy.");

  async function cancel(): Promise<void> {
    try {
      await session.cancel(AbortSignal.timeout(cancelMs));
    } catch (error) {
      deps.patience.log.warn({ jobId: run.jobId, err: error }, "an open upload was not cancelled; a sweep tries again");
      return;
    }
    await session.forget();
  }

  /** After a break only the service knows how much has arrived. */
  async function realign(error: unknown): Promise<UploadPosition> {
    for (let fault = error; ; ) {
      run.signal.throwIfAborted();
      if (!(fault instanceof ServiceFault)) throw fault;
      breaks++;
      await pauseAfter(deps.patience, run, "upload", fault, breaks);
      try {
        return await session.query(run.signal);
      } catch (next) {
        fault = next;
      }
    }
  }
}

/** The copy whose description got lost with the last reply. */
async function findCopy(
  deps: UploadDeps,
  video: VideoFile,
  source: UploadSource,
  run: PatientRun,
  traces: Traces,
): Promise<RemoteFile | null> {
  const name = displayNameOf(video.jobId);
  const listed = await listCopies(deps, { ...run, tries: listTries }).catch((error: unknown) => {
    run.signal.throwIfAborted();
    if (!(error instanceof ServiceFault || error instanceof Problem)) throw error;
    if (deps.patience.clock.now() >= run.deadline.getTime()) throw error;
    return [];
  });
  const copies = listed.filter((copy) => copy.displayName === name && !traces.names.has(copy.name));
  const [newest] = copies
    .filter((copy) => isWhole(copy, source))
    .sort((a, b) => b.createTime.localeCompare(a.createTime));
  if (!newest) return null;
  traces.names.add(newest.name);
  // Of several, any may be the one that this session made.
  if (copies.length === 1) traces.unnamed--;
  return newest;
}

function isWhole(file: RemoteFile, source: UploadSource): boolean {
  return file.sizeBytes === null || file.sizeBytes === source.size;
}

function dead(message: string): SessionEnd {
  return { kind: "dead", fault: new ServiceFault(message, { status: null }) };
}
