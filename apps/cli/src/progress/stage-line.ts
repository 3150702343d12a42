import type { Progress } from "video-to-json";
import { bytesText, clockText } from "../terminal.ts";
import type { ShownVideo, Step } from "./live-lines.ts";

/** A running upload: bytes sent, all bytes, and milliseconds since its start. */
type Upload = { name: string; sentBytes: number; totalBytes: number; elapsedMs: number };

const maxBarWidth = 30;
const minBarWidth = 5;
// At first the rate measures how buffers fill, not the network.
const minRateMs = 500;

/** Formats an upload as a line of at most `columns` characters. Drops the bar first, then the name, then figures. */
export function uploadLine({ name, sentBytes, totalBytes, elapsedMs }: Upload, columns: number): string {
  const share = totalBytes === 0 ? 1 : Math.min(1, sentBytes / totalBytes);
  const figures = fitting(columns - "Uploading ".length, [
    `${String(Math.floor(share * 100)).padStart(3)} %`,
    `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`,
    ...rate(sentBytes, totalBytes, elapsedMs),
  ]);
  const spare = columns - figures.length - "Uploading    ".length;
  const shownName = shorten(name, Math.max(0, spare - minBarWidth - 2));
  const bar = barOf(share, Math.min(maxBarWidth, spare - shownName.length));
  return ["Uploading", shownName, bar, figures]
    .filter((part) => part !== "")
    .join(" ")
    .slice(0, Math.max(0, columns));
}

function rate(sentBytes: number, totalBytes: number, elapsedMs: number): string[] {
  if (elapsedMs < minRateMs || sentBytes === 0) return [];
  const perMs = sentBytes / elapsedMs;
  return [`${bytesText(Math.round(perMs * 1000))}/s`, `${clockText((totalBytes - sentBytes) / perMs)} left`];
}

/** Joins as many of the first figures as fit. */
function fitting(width: number, figures: readonly string[]): string {
  const text = figures.join("  ");
  return text.length <= width || figures.length < 2 ? text : fitting(width, figures.slice(0, -1));
}

function barOf(share: number, width: number): string {
  if (width < minBarWidth) return "";
  const full = Math.floor(share * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

/** Cuts the end or the start of a name, with `…` in its place. */
function shorten(name: string, width: number, what: "end" | "start" = "end"): string {
  if (name.length <= width) return name;
  if (width < 4) return "";
  return what === "end" ? `${name.slice(0, width - 1)}…` : `…${name.slice(1 - width)}`;
}

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
