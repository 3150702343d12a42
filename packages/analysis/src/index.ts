export { analyse, type ConformingAnswer } from "./analyse.ts";
export type { AnalysisProvider, Ask, VideoFile } from "./analysis-provider.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
