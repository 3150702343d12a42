import { inThread } from "@video-to-json/schema/thread";
import { compareWords } from "./compare-words.ts";
import { moveTimes } from "./correct-times.ts";
import { readClaims } from "./evidence-question.ts";
import { addEvents } from "./merge-lists.ts";
import { findVisualFields } from "./visual-question.ts";
import { findBeside } from "./witness.ts";
import { leavesToAsk, writeEvidence } from "./write-evidence.ts";

// This file is the entry point of the threads of a worker's sandbox.
export { check, compile, findLists, findTimes } from "@video-to-json/schema/thread";

/** The work of the checks on what a model wrote. Input and outcome are plain data. */
export const tasks = {
  addEvents,
  compareWords,
  findBeside,
  findVisualFields,
  leavesToAsk,
  moveTimes,
  readClaims,
  writeEvidence,
};

/** Runs one of them. */
export const runTask = inThread(({ name, input }: { name: keyof typeof tasks; input: never }) => tasks[name](input));
