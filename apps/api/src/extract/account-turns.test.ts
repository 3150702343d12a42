import { expect, test } from "vitest";
import { createAccountTurns } from "./account-turns.ts";

/** Takes turns and records in which order they start. */
function openTurns(limits: { ofAccount: number; inAll: number }) {
  const turns = createAccountTurns(limits);
  const started: string[] = [];
  const running: Disposable[] = [];
  const take = (name: string) =>
    void turns.take(name.slice(0, 1)).then((turn) => {
      started.push(name);
      running.push(turn);
    });
  const endFirst = async () => {
    running.shift()?.[Symbol.dispose]();
    await settled();
  };
  return { take, started, endFirst };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("an account gets its limit of turns, in order, and another account does not wait for it", async () => {
  const { take, started, endFirst } = openTurns({ ofAccount: 2, inAll: 10 });
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) take(name);
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  await endFirst();
  expect(started).toEqual(["a1", "a2", "b1", "a3"]);
  await endFirst();
  expect(started).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("all accounts together get the total limit of turns, first come, first served", async () => {
  const { take, started, endFirst } = openTurns({ ofAccount: 2, inAll: 3 });
  for (const name of ["a1", "a2", "a3", "b1", "c1", "b2"]) take(name);
  await settled();
  expect(started).toEqual(["a1", "a2", "b1"]);
  await endFirst();
  expect(started.slice(3)).toEqual(["a3"]);
  for (let turn = 0; turn < 3; turn++) await endFirst();
  expect(started.slice(4)).toEqual(["c1", "b2"]);
});
