export { type Attempt, analyse, type ConformingAnswer } from "./analyse.ts";
export type { AnalysisProvider, Ask, Question, VideoFile } from "./analysis-provider.ts";
export type { EvidenceChecks } from "./evidence/evidence-checks.ts";
export { type AnswerToProve, gatherEvidence } from "./evidence/gather-evidence.ts";
export { createGeminiProvider } from "./gemini/create-gemini-provider.ts";
export type { ProviderObserver, TokenCounts } from "./provider-observer.ts";
export type { SecondLookFindings, Span, TimeFinding, Verdict } from "./second-look/findings.ts";
