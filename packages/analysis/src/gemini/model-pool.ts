import type { Question } from "../analysis-provider.ts";
import type { GeminiError } from "./gemini-error.ts";
import { isAboutModel } from "./refusal.ts";

/** The lists of models, the first choice first. */
export type Models = Readonly<Record<Question["model"], readonly string[]>>;

/** Which models of this process may answer now. All jobs share it. */
export type ModelPool = {
  /** Returns the first model of a list that is open, or else the one that opens first. */
  pick(size: Question["model"]): string;
  isOpen(model: string): boolean;
  answered(model: string): void;
  /** Closes the model for a while if the error is about it. */
  failed(model: string, error: GeminiError): void;
  /** Whether the key has worked within the last hour. */
  hasAnsweredLately(): boolean;
};

/** One 503 is usual. After two in a row, the model is asked again half a minute later. */
const mostOverloads = 2;
const overloadMs = 30_000;
const retiredMs = 600_000;
const exhaustedMs = 60_000;
const usualPauseMs = 5_000;
const lately = 3_600_000;

type State = { overloads: number; closedUntil: number };

/** Opens a pool in which every model is open. `now` returns the time of day. */
export function openModelPool(models: Models, now: () => number): ModelPool {
  const states = new Map<string, State>();
  let answeredAt = Number.NEGATIVE_INFINITY;
  const closedUntil = (model: string) => states.get(model)?.closedUntil ?? 0;
  const isOpen = (model: string) => closedUntil(model) <= now();

  return {
    isOpen,
    pick(size) {
      const open = models[size].find(isOpen);
      return open ?? models[size].reduce((a, b) => (closedUntil(b) < closedUntil(a) ? b : a));
    },
    answered(model) {
      states.delete(model);
      answeredAt = now();
    },
    failed(model, error) {
      const overloads = (states.get(model)?.overloads ?? 0) + (error.status === 503 ? 1 : 0);
      const closedMs = closedMsAfter(error, overloads);
      states.set(model, { overloads, closedUntil: Math.max(closedUntil(model), now() + closedMs) });
    },
    hasAnsweredLately: () => now() - answeredAt < lately,
  };
}

function closedMsAfter(error: GeminiError, overloads: number): number {
  if (error.isQuotaExhausted) return exhaustedMs;
  if (error.status === 429) return error.retryAfterMs ?? usualPauseMs;
  if (error.status === 404 && isAboutModel(error)) return retiredMs;
  return error.status === 503 && overloads >= mostOverloads ? overloadMs : 0;
}
