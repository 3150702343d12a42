import type { Progress } from "video-to-json";
import { bytesText, clockText } from "./amounts.ts";
import { uploadLine } from "./upload-line.ts";

/** The current stage of a request, and the milliseconds since its start. */
export type Stage = { progress: Progress; elapsedMs: number };

/** Formats a stage as a line of at most `columns` characters for a terminal. */
export function stageLine({ progress, elapsedMs }: Stage, name: string, columns: number): string {
  switch (progress.stage) {
    case "uploading":
      return uploadLine({ name, ...progress, elapsedMs }, columns);
    case "waiting":
      return `${waitingText(progress)}  ${clockText(elapsedMs)}`.slice(0, columns);
    case "retrying": {
      const seconds = Math.ceil(Math.max(0, progress.delayMs - elapsedMs) / 1000);
      const end = `  Trying again in ${seconds} s`;
      return firstSentence(progress.reason.message).slice(0, Math.max(0, columns - end.length)) + end;
    }
    default:
      return progress satisfies never;
  }
}

/** Formats a stage as a line for a log. The line is the same for the whole stage. */
export function loggedLine(progress: Progress, name: string): string {
  switch (progress.stage) {
    case "uploading":
      return `Uploading ${name} (${bytesText(progress.totalBytes)}).`;
    case "waiting":
      if (progress.jobId !== undefined && !progress.job) return `Job ${progress.jobId} is admitted.`;
      return `${waitingText(progress)}.`;
    case "retrying":
      return `${firstSentence(progress.reason.message)} Trying again in ${Math.ceil(progress.delayMs / 1000)} s.`;
    default:
      return progress satisfies never;
  }
}

const jobStages: Record<string, string> = {
  obtaining: "Getting the video",
  probing: "Measuring the video",
  uploading: "Sending the video to the model",
  analysing: "Analysing the video",
  settling: "Saving the answer",
};

/** Says what the job does, or that the command waits, if it does not know more. */
function waitingText({ job }: Extract<Progress, { stage: "waiting" }>): string {
  const text = (job && jobStages[job.stage]) ?? "Waiting for the answer";
  return job && job.attempt > 1 ? `${text} (attempt ${job.attempt})` : text;
}

// The sentences after it say what to do, which the client is already doing.
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
}
