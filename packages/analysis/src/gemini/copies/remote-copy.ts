import type { VideoFile } from "../../analysis-provider.ts";
import { unavailable, unreadable } from "../questions/refusal.ts";
import { type Traces, type UploadDeps, uploadVideo } from "../upload/upload-video.ts";
import { type PatientRun, withPatience } from "../wire/patience.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { failedFor } from "./failed-file.ts";
import { isGone } from "./is-gone.ts";
import { displayNameOf, listCopies } from "./list-copies.ts";
import { type RemoteFile, readRemoteFile } from "./remote-file.ts";

/** The service's copy of one video, for as long as one run. */
export type RemoteCopy = {
  /** The copy, ACTIVE; uploaded when there is none. Throws Problem, or the reason of the run's signal. */
  ready(): Promise<{ uri: string; mimeType: string }>;
  /** The service says that there is no such copy. */
  lost(): void;
  /** The service says that the copy is not ACTIVE, whatever it said before. */
  unready(): void;
  /** Deletes every copy that this run made or may have made. Never throws; what it leaves is logged and swept later. */
  discard(): Promise<void>;
};

const mostUploads = 3;
const firstLookMs = 250;
const longestLookMs = 2_000;
const discardMs = 10_000;
// Of these seconds the list may take some, not all.
const listQuietMs = 3_000;
const retryLaterMs = 30_000;

/** Prepares the copy of one video; nothing is sent before `ready`. */
export function createRemoteCopy(deps: UploadDeps, video: VideoFile, run: PatientRun): RemoteCopy {
  const traces: Traces = { names: new Set(), unnamed: 0 };
  let current: { file: RemoteFile; active: boolean } | null = null;
  let uploads = 0;
  let failures = 0;

  return {
    async ready() {
      for (;;) {
        if (current?.active) return { uri: current.file.uri ?? uriOf(current.file), mimeType: video.mimeType };
        if (!current) {
          current = await upload();
          continue;
        }
        const state = await settledState(current.file);
        if (state.kind === "active") current.active = true;
        if (state.kind === "gone") current = null;
        if (state.kind === "failed") await afterFailure(state.error);
      }
    },
    lost() {
      current = null;
    },
    unready() {
      if (current) current.active = false;
    },
    async discard() {
      const end = AbortSignal.timeout(discardMs);
      const last: PatientRun = { ...run, signal: end, deadline: new Date(deps.patience.clock.now() + discardMs) };
      const known = [...traces.names];
      const unnamed = traces.unnamed > 0 ? copiesBesides(known, last) : [];
      // What is known goes at once, however long the list takes.
      await Promise.all([
        ...known.map((name) => deleteCopy(name, last)),
        Promise.resolve(unnamed).then((names) => Promise.all(names.map((name) => deleteCopy(name, last)))),
      ]);
    },
  };

  async function upload() {
    if (uploads >= mostUploads) throw unavailable(new Error("Every copy was lost."), retryLaterMs);
    uploads++;
    const began = deps.patience.clock.now();
    const file = await uploadVideo(deps, video, run, traces);
    deps.patience.log.info(
      { jobId: video.jobId, file: file.name, ms: deps.patience.clock.now() - began },
      "video uploaded",
    );
    return { file, active: file.state === "ACTIVE" };
  }

  async function settledState(file: RemoteFile) {
    for (let pauseMs = firstLookMs; ; pauseMs = Math.min(longestLookMs, pauseMs * 1.5)) {
      const seen = await look(file.name);
      if (seen === "gone") return { kind: "gone" } as const;
      if (seen.state === "ACTIVE") return { kind: "active" } as const;
      if (seen.state === "FAILED") return { kind: "failed", error: seen.error } as const;
      await deps.patience.clock.wait(pauseMs, run.signal);
    }
  }

  async function look(name: string): Promise<RemoteFile | "gone"> {
    try {
      return await withPatience(deps.patience, run, "look at copy", async () => {
        const file = readRemoteFile(await deps.sdk.getFile(name, run.signal));
        if (!file) throw new ServiceFault("The reply describes no file.", { status: 200 });
        return file;
      });
    } catch (error) {
      if (error instanceof ServiceFault && isGone(error)) return "gone";
      throw error instanceof ServiceFault ? unavailable(error, retryLaterMs) : error;
    }
  }

  /** The same bytes get a second chance unless the service blames them. */
  async function afterFailure(error: RemoteFile["error"]): Promise<void> {
    failures++;
    const blame = failedFor(error);
    deps.patience.log.warn({ jobId: video.jobId, error, blame, failures }, "the copy could not be processed");
    if (blame === "media" || (failures > 1 && blame === "unknown")) throw unreadable(error);
    if (failures > 1) throw unavailable(error, retryLaterMs);
    current = null;
  }

  async function copiesBesides(known: readonly string[], last: PatientRun): Promise<string[]> {
    try {
      return (await listCopies(deps, last, listQuietMs))
        .filter((copy) => copy.displayName === displayNameOf(video.jobId) && !known.includes(copy.name))
        .map(({ name }) => name);
    } catch (error) {
      deps.patience.log.warn({ jobId: video.jobId, err: error }, "copies could not be listed; a sweep will find them");
      return [];
    }
  }

  async function deleteCopy(name: string, last: PatientRun): Promise<void> {
    try {
      await withPatience(deps.patience, last, "delete copy", () => deps.sdk.deleteFile(name, last.signal));
    } catch (error) {
      if (error instanceof ServiceFault && isGone(error)) return;
      deps.patience.log.warn({ jobId: video.jobId, file: name, err: error }, "a copy was left; a sweep will find it");
    }
  }

  function uriOf(file: RemoteFile): string {
    return `${deps.connection.baseUrl}/v1beta/${file.name}`;
  }
}
