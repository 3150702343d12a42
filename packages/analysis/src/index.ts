export { analyse, type ExtractionRequest } from "./analyse.ts";
export type { AnalysisProvider, Answer, Question, VideoFile, VideoRun } from "./analysis-provider.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
