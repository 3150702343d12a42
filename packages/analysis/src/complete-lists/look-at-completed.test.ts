import { expect, test } from "vitest";
import type { TimeFinding } from "../second-look/findings.ts";
import { lookAtCompleted } from "./look-at-completed.ts";

/** Completes an answer with an item that a second look contradicts for a number of rounds. */
async function look(rounds: number) {
  const rejected: (readonly string[])[] = [];
  const looked: string[] = [];
  const completions = {
    complete: async () => ({ text: `completed ${rejected.length}`, added: ["/cuts/1"] }),
    reject: (_: unknown, pointers: readonly string[]) => void rejected.push(pointers),
  };
  const secondLooks = {
    take: async ({ text }: { text: string }) => {
      looked.push(text);
      const isWrong = text !== "first" && rejected.length < rounds;
      const finding = { verdict: isWrong ? "contradicted" : "confirmed", spans: [], checked: null, nearestCutMs: null };
      const findings = new Map([["/cuts/1/at", finding as TimeFinding]]);
      return { text, findings, violations: [], violationsForCaller: [] };
    },
    reserveAttempt: () => undefined,
  };
  const { text } = await lookAtCompleted({ completions, secondLooks }, { text: "first", tokens: undefined });
  return { text, rejected, looked };
}

test("an added item that a second look contradicts is left out, and the rest is looked at again", async () => {
  expect(await look(0)).toEqual({ text: "completed 0", rejected: [], looked: ["completed 0"] });
  const { text, rejected } = await look(1);
  expect([text, rejected]).toEqual(["completed 1", [["/cuts/1"]]]);
});

test("when three rounds are not enough, the first answer is kept, with its own second look", async () => {
  const { text, looked } = await look(9);
  expect([text, looked]).toEqual(["first", ["completed 0", "completed 1", "completed 2", "first"]]);
});
