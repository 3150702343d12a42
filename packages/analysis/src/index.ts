export type {
  AnalysisProvider,
  Answer,
  Check,
  OperatedProvider,
  ProviderObserver,
  Question,
  SpokenWord,
  VideoRun,
} from "./analysis-provider.ts";
export { NoAnswer } from "./analysis-provider.ts";
export type { CutClip } from "./checks/ask-clips.ts";
export { openShiftMemory } from "./checks/calibrate.ts";
export { type CheckedAnswer, prepareChecks } from "./checks/prepare-checks.ts";
export { checksThread } from "./checks/run-in-thread.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
export { analyse, type ConformingAnswer, type OpenChecks } from "./ladder/analyse.ts";
export { openProviders } from "./open-provider.ts";
export { type Price, priceOf } from "./prices.ts";
export { openTranscription, type TakeSound, type Transcription } from "./transcription/transcription.ts";
