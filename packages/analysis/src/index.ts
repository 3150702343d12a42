export { type Attempt, analyse, type ConformingAnswer } from "./analyse.ts";
export type { AnalysisProvider, Question, VideoFile } from "./analysis-provider.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
export type { ProviderObserver, TokenCounts } from "./provider-observer.ts";
