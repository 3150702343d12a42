export { analyse, type ConformingAnswer } from "./analyse.ts";
export type { AnalysisProvider, Question, VideoFile } from "./analysis-provider.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
