import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openEndedLook } from "./finished-job-poller.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A look whose questions are answered by hand. */
function lookByHand() {
  const questions: { jobIds: string[]; answer(ended: string[]): void; fail(error: Error): void }[] = [];
  const found: string[] = [];
  const reported: unknown[] = [];
  const look = openEndedLook({
    findEnded(jobIds) {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      questions.push({ jobIds, answer: resolve, fail: reject });
      return promise;
    },
    found: (jobId) => void found.push(jobId),
    report: (error) => void reported.push(error),
  });
  return { look, questions, found, reported };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("those who ask in one turn share a question, and each job is in it once", async () => {
  const { look, questions, found } = lookByHand();
  look.at(["a"]);
  look.at(["b", "a"]);
  await settled();
  expect(questions.map(({ jobIds }) => jobIds)).toEqual([["a", "b"]]);
  questions[0]?.answer(["b"]);
  await settled();
  expect(found).toEqual(["b"]);
  expect(questions).toHaveLength(1);
});

test("what is asked during a question waits for the next, also if it is in the first", async () => {
  const { look, questions } = lookByHand();
  look.at(["a"]);
  await settled();
  look.at(["a"]);
  look.at(["b"]);
  await settled();
  expect(questions).toHaveLength(1);
  questions[0]?.answer([]);
  await settled();
  expect(questions[1]?.jobIds).toEqual(["a", "b"]);
});

test("a question is of a thousand jobs at most", async () => {
  const { look, questions } = lookByHand();
  look.at(Array.from({ length: 2_500 }, (_, i) => `${i}`));
  for (let i = 0; i < 3; i += 1) {
    await settled();
    questions[i]?.answer([]);
  }
  expect(questions.map(({ jobIds }) => jobIds.length)).toEqual([1_000, 1_000, 500]);
});

test("a question that fails is reported and not repeated by itself", async () => {
  const { look, questions, reported } = lookByHand();
  look.at(["a"]);
  await settled();
  questions[0]?.fail(new Error("no database"));
  await settled();
  expect(reported).toEqual([new Error("no database")]);
  expect(questions).toHaveLength(1);
  look.at(["a"]);
  await settled();
  expect(questions).toHaveLength(2);
});

test("a question that is never answered holds the next up for ten seconds only", async () => {
  const { look, questions, reported } = lookByHand();
  look.at(["a"]);
  await settled();
  look.at(["b"]);
  await vi.advanceTimersByTimeAsync(10_000);
  await expect.poll(() => reported).toHaveLength(1);
  expect(questions[1]?.jobIds).toEqual(["b"]);
});
