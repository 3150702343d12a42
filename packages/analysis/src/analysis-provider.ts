/**
 * A video on local disk, to be shown to the analysis service. `jobId` is the job's UUID: the copy is traced by it. In the
 * folder `uploadNotes`, if one is named, stands for each upload that may be open what it takes to cancel it.
 */
export type VideoFile = { path: string; mimeType: string; jobId: string; uploadNotes?: string };

/** One question about the video; `responseSchema` constrains the answer where the service can. */
export type Question = {
  model: "small" | "large";
  system: string;
  prompt: string;
  responseSchema: Record<string, unknown> | null;
};

/** A complete answer, not yet checked against the schema; `model` is the id of the model that gave it. */
export type Answer = { text: string; model: string };

/** How long a run may last: `signal` ends it (its reason is what the run rejects with), `deadline` says when that will be. */
export type VideoRun = { signal: AbortSignal; deadline: Date };

/** Asks one question about a video. */
export type Ask = (question: Question) => Promise<Answer>;

/**
 * The port to whatever watches the video. Uploads the video, lets `use` ask about it, and deletes the copy whatever
 * happens, which may take long: what must not be lost is kept in `use`. `ask` rejects with `UnmetAnswer` when the model gave none, and with a Problem (`provider_unavailable`,
 * `media_unreadable`, `file_too_large`, `extraction_failed`) when asking again cannot help.
 */
export type AnalysisProvider = {
  withVideo<T>(video: VideoFile, run: VideoRun, use: (ask: Ask) => Promise<T>): Promise<T>;
};

/** The service replied, but not with an answer: cut off, declined, empty, or given without seeing the video. */
export class UnmetAnswer extends Error {
  /** `: <reason>`, as a violation of the whole answer. */
  readonly violation: string;

  constructor(reason: string) {
    super(reason);
    this.name = "UnmetAnswer";
    this.violation = `: ${reason}`;
  }
}
