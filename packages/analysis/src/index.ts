export { analyse, type ExtractionRequest } from "./analyse.ts";
export { createGemini } from "./gemini/create-gemini.ts";
export type { Answer, Question, VideoFile, VideoRun, VideoService } from "./video-service.ts";
