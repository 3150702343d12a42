/** What starts things outside of a test run, where vitest is not to be loaded. */
export { removedWithUs } from "./processes/watchdog.ts";
export { repositoryRoot } from "./repository-root.ts";
export { keepStack } from "./stack/keep-stack.ts";
export { removeStackData } from "./stack/remove-stack-data.ts";
export type { Stack } from "./stack/stack.ts";
export { type NotedProcess, readRecord, type StackRecord, stillRuns } from "./stack/stack-record.ts";
export { startStack } from "./stack/start-stack.ts";
export { stopKeptStack } from "./stack/stop-kept-stack.ts";
export { makeVideo, type VideoTruth } from "./videos/make-video.ts";
