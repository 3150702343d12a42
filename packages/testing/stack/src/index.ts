export { interruption } from "./demo/interruption.ts";
export { keepStack } from "./stack/keep-stack.ts";
export { makeStackDirectory, removeStackData, stackDirectories } from "./stack/remove-stack-data.ts";
export { signInLink } from "./stack/sign-in-link.ts";
export type { Stack, StackOptions, StackPart, StackProcess } from "./stack/stack.ts";
export { type RecordedProcess, readRecord, type StackRecord, stillRuns } from "./stack/stack-record.ts";
export { startStack } from "./stack/start-stack.ts";
export { stopKeptStack } from "./stack/stop-kept-stack.ts";
