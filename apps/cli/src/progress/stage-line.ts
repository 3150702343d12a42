import type { Progress } from "video-to-json";
import { bytesText, clockText } from "./amounts.ts";
import type { ShownVideo, Step } from "./display.ts";
import { shorten, uploadLine } from "./upload-line.ts";

/** The current step of a video, and the milliseconds since its start. */
export type Stage = { step: Step; elapsedMs: number };

/** Formats a stage as a line of at most `columns` characters for a terminal. */
export function stageLine({ step, elapsedMs }: Stage, name: string, columns: number): string {
  switch (step.stage) {
    case "reading":
      return `Reading standard input  ${bytesText(step.readBytes)}`.slice(0, columns);
    case "uploading":
      return uploadLine({ name, ...step, elapsedMs }, columns);
    case "waiting":
      return `${waitingText(step)}  ${clockText(elapsedMs)}`.slice(0, columns);
    case "retrying": {
      const seconds = Math.ceil(Math.max(0, step.delayMs - elapsedMs) / 1000);
      const end = `  Trying again in ${seconds} s`;
      return firstSentence(step.reason.message).slice(0, Math.max(0, columns - end.length)) + end;
    }
    default:
      return step satisfies never;
  }
}

/** Formats a stage of one of several videos as a line that begins with the end of the video's argument. */
export function namedLine(stage: Stage, { argument }: ShownVideo, columns: number): string {
  const shown = shorten(argument, Math.floor(columns / 3), "start");
  return `${shown}  ${stageLine(stage, "", Math.max(0, columns - shown.length - 2))}`;
}

/** Formats a stage as a line for a log. The line is the same for the whole stage. */
export function loggedLine(step: Step, name: string): string {
  switch (step.stage) {
    case "reading":
      return "Reading standard input.";
    case "uploading":
      return `Uploading ${name} (${bytesText(step.totalBytes)}).`;
    case "waiting":
      if (step.jobId !== undefined && !step.job) return `Job ${step.jobId} is admitted.`;
      return `${waitingText(step)}.`;
    case "retrying":
      return `${firstSentence(step.reason.message)} Trying again in ${Math.ceil(step.delayMs / 1000)} s.`;
    default:
      return step satisfies never;
  }
}

const jobStages: Record<string, string> = {
  obtaining: "Getting the video",
  probing: "Measuring the video",
  uploading: "Sending the video to the model",
  analysing: "Analysing the video",
  settling: "Saving the answer",
};

/** Says what the job does, or that the command waits if the stage is unknown. */
function waitingText({ job }: Extract<Progress, { stage: "waiting" }>): string {
  const text = (job && jobStages[job.stage]) ?? "Waiting for the answer";
  return job && job.attempt > 1 ? `${text} (attempt ${job.attempt})` : text;
}

// Only the first sentence: the others say what to do, which the client is already doing.
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
}
