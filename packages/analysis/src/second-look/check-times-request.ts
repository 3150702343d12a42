import type { Ask, TokenCount } from "../analysis-provider.ts";
import type { CutClip } from "../clips/cut-clip.ts";
import type { SightingMemory } from "./sighting-memory.ts";
import type { TokenBudget } from "./token-budget.ts";

/** What a second look works with. */
export type CheckTimesDeps = {
  readonly ask: Ask;
  readonly cutClip: CutClip;
  readonly log: { info(obj: object, msg: string): void; warn(obj: object, msg: string): void };
};

/** The limits of one second look. */
export type CheckTimesRequest = {
  jobId: string;
  durationMs: number;
  /** The length of the file that the answer is about, which may be a part of the video. */
  seenMs: number;
  /** The price of the answer about the whole video. */
  firstPass: TokenCount | undefined;
  budget: TokenBudget;
  /** The tokens that the budget has left when the plan is made. */
  maxTokens: number;
  memory: SightingMemory;
  /** The same for the search of contradicted times in other parts. */
  farMemory: SightingMemory;
  /** Aborts at `deadline`. Times that are not checked by then stay unchecked. */
  signal: AbortSignal;
  deadline: Date;
};
