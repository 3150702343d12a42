import type { WantedShape } from "./shapes.ts";
import type { TrialVideo } from "./videos.ts";

/** An account of the trial, with a key. */
export type TrialAccount = { id: string; email: string; key: string; grantedSeconds: number };

/** How a call reaches the service: a form with a file, JSON with a URL, or the MCP tool. */
export type Door = "upload" | "url" | "mcp";

/** One extraction that a client wants, and every request it made for it. */
export type Call = {
  /** Sent as the instructions, so that its jobs can be told from all others. */
  marker: string;
  account: TrialAccount;
  door: Door;
  video: TrialVideo;
  /** Path below the file server's address; some are made to fail. */
  urlPath: string;
  shape: WantedShape;
  /** Its Idempotency-Key, if it sends one. */
  idempotencyKey: string | undefined;
  attempts: Attempt[];
};

/** When a client of a request hangs up by itself. */
export type Drop = "mid-upload" | "mid-wait" | undefined;

/** One request of a call. Times are milliseconds since 1970. */
export type Attempt = { apiUrl: string; startedAt: number; endedAt: number; outcome: Outcome };

/** How a request ended, as its client saw it. */
export type Outcome =
  | Answered
  /** Nobody listened: nothing was sent. */
  | { is: "refused" }
  /** The connection broke before there was an answer. */
  | { is: "broken"; why: string }
  /** The client hung up. */
  | { is: "dropped"; when: "mid-upload" | "mid-wait" }
  /** There was no answer when there should have been one for long. */
  | { is: "hung" };

/** An answer: of the MCP tool, the JSON that its text holds. */
export type Answered = {
  is: "answered";
  status: number;
  text: string;
  /** The error's code; undefined of a success. */
  code: string | undefined;
  /** Of the job that the answer is about, if there is one. */
  jobId: string | undefined;
  replayed: boolean;
  /** What a success of the MCP tool holds beside its text. */
  structured?: unknown;
};

/** Whether an answer is an error of the service's side, which a client with an Idempotency-Key sends again. */
export function isToRepeat({ code }: Answered): boolean {
  return code === "internal_error" || code === "provider_unavailable";
}

/** The answer of an attempt that brought what was asked for. */
export function successOf({ outcome }: Attempt): Answered | undefined {
  return outcome.is === "answered" && outcome.status === 200 && outcome.code === undefined ? outcome : undefined;
}
