export { createApiKey, hashApiKey, isApiKey, type KeyScope, keyScopes, type NewApiKey } from "./api-key.ts";
export { keyLimitReached, overBudget, overCeiling, overdueProblem, Problem, schemaInvalid } from "./errors/problem.ts";
export { type CatalogueEntry, type ProblemCode, problemCodes, problems } from "./errors/problem-catalogue.ts";
export {
  childPointer,
  evidenceHeader,
  evidenceMeta,
  evidencePath,
  evidenceValue,
  isJsonObject,
  type Leaf,
  leavesOf,
  maxEvidenceBytes,
  notChecked,
  saysNothing,
  unavailableEvidence,
} from "./evidence/evidence.ts";
export {
  clipMember,
  isJobStatus,
  type JobProgress,
  type JobStage,
  type JobStatus,
  jobRecordMembers,
  jobStages,
  jobStatuses,
  jobSummaryMembers,
  jsonObjectText,
} from "./job-record-text.ts";
export {
  billedSeconds,
  defaultLimits,
  type Limits,
  longestFormTailSeconds,
  maxFreeTokens,
  maxTokensOfJob,
  promptTokens,
  roundedSeconds,
} from "./limits.ts";
export {
  type Clip,
  type CompleteLists,
  completeLists,
  completeListsHeader,
  completeListsMeta,
  type Detail,
  details,
  idempotencyKeyPattern,
  isUuid,
  type SecondLook,
  type SecondLookCounts,
  secondLookHeader,
  secondLookMeta,
  secondLookResultHeader,
  secondLookResultMeta,
  secondLooks,
  secondLookText,
  secondLookVerdicts,
  type VideoPart,
} from "./requests.ts";
export type { Evidence, EvidenceSpan, EvidenceVerdict, FieldEvidence } from "./shapes/evidence.ts";
export type { ErrorInside } from "./shapes/service.ts";
export { parseStorageUrl, type S3Address, type StorageAddress } from "./storage-address.ts";
export { timestampPattern, timestampSeconds, timestampText } from "./timestamp.ts";
