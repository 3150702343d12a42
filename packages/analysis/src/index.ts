export type { AnalysisProvider, Answer, Ask, ProviderObserver, Question, TokenCounts } from "./analysis-provider.ts";
export type { CutClip } from "./checks/ask-clips.ts";
export { type CheckedAnswer, openChecks } from "./checks/open-checks.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
export { type Attempt, analyse, type ConformingAnswer, type OpenChecks } from "./ladder/analyse.ts";
