import { open } from "node:fs/promises";
import type { VideoFile } from "../../video-service.ts";
import { displayNameOf, listCopies } from "../copies/list-copies.ts";
import type { RemoteFile } from "../copies/remote-file.ts";
import { refusalOf, unavailable, unreadable } from "../questions/refusal.ts";
import type { Connection } from "../wire/connection.ts";
import { mayPass, type Patience, type PatientRun, pauseAfter, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { startUpload, type UploadPosition, type UploadSession, type UploadSource } from "./upload-session.ts";

export type UploadDeps = { connection: Connection; sdk: Sdk; patience: Patience };

/** What a run knows of copies it may have left: names to delete, and whether there may be one of unknown name. */
export type Traces = { names: Set<string>; unknown: boolean };

const mostSessions = 3;
const cancelMs = 2_000;

/**
 * Uploads the video, resuming after breaks, beginning anew when a session is lost. Throws Problem
 * (`provider_unavailable`, `media_unreadable`) or the reason of the run's signal; then the session is cancelled. Every
 * copy that came of it, or may have, stands in `traces`.
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
      throw error instanceof ServiceFault ? refusedUpload(deps, run, error) : error;
    });
    const end = await runSession(deps, session, video, source, run, traces);
    if (end.kind === "stored") return end.file;
    if (sessions >= mostSessions) throw refusedUpload(deps, run, end.fault);
    await pauseAfter(deps.patience, run, "upload session", end.fault, sessions);
  }
}

type SessionEnd = { kind: "stored"; file: RemoteFile } | { kind: "dead"; fault: ServiceFault };

async function runSession(
  deps: UploadDeps,
  session: UploadSession,
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
    traces.unknown ||= finalizing;
    await session.cancel(AbortSignal.timeout(cancelMs)).catch(() => undefined);
    throw error;
  }
  if (position.kind === "stored" && position.file) {
    traces.names.add(position.file.name);
    if (isWhole(position.file, source)) return { kind: "stored", file: position.file };
    return dead("The stored copy has another size than the video.");
  }
  if (!finalizing)
    return position.kind === "dead" ? position : dead("The upload ended before its last bytes were sent.");
  traces.unknown = true;
  const found = await findCopy(deps, video, source, run, traces);
  if (found) return { kind: "stored", file: found };
  return position.kind === "dead" ? position : dead("The upload ended without a copy.");

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
  const copies = (await listCopies(deps, run).catch((error: unknown) => notFoundUnless(error, run))).filter(
    (copy) => copy.displayName === name && !traces.names.has(copy.name) && isWhole(copy, source),
  );
  const [newest] = copies.sort((a, b) => b.createTime.localeCompare(a.createTime));
  if (newest) traces.names.add(newest.name);
  return newest ?? null;
}

function notFoundUnless(error: unknown, run: PatientRun): RemoteFile[] {
  run.signal.throwIfAborted();
  if (error instanceof ServiceFault) return [];
  throw error;
}

function isWhole(file: RemoteFile, source: UploadSource): boolean {
  return file.sizeBytes === null || file.sizeBytes === source.size;
}

function dead(message: string): SessionEnd {
  return { kind: "dead", fault: new ServiceFault(message, { status: null }) };
}

/** An upload that is refused for good. */
function refusedUpload({ patience }: UploadDeps, run: PatientRun, fault: ServiceFault): Error {
  patience.log.warn(
    { jobId: run.jobId, status: fault.status, reason: fault.reason, fault: fault.message },
    "upload refused",
  );
  const media = !mayPass(fault) && refusalOf(fault, false) === "media" && !/invalid argument/i.test(fault.message);
  return media ? unreadable(fault) : unavailable(fault, refusedRetryMs);
}

const refusedRetryMs = 30_000;
