import { expect, test } from "vitest";
import { openTestEmulator } from "../emulator.harness.ts";
import { guesses } from "../generate/guesses.ts";
import recorded from "./recorded.json" with { type: "json" };
import { differences, runContract, toRecord } from "./run-contract.ts";

const run = async (args: string[], budgetDollars = 1) => {
  await using emulator = await openTestEmulator(args);
  const told: string[] = [];
  const tell = (line: string) => void told.push(line);
  const records = await runContract({ url: emulator.url, apiKey: "key", budgetDollars, tell });
  return { ...records, told, state: await emulator.state() };
};

test("every request of the service and every reply of the emulator has the form of Google's protocol files", async () => {
  const { replies, formFaults, told, state } = await run([]);
  expect({ formFaults, told }).toEqual({ formFaults: [], told: [] });
  const statuses = Object.entries(replies).map(([name, { status }]) => [name, status]);
  expect(statuses).toEqual(statuses.map(([name]) => [name, 200]));
  expect(Object.keys(replies).length).toBe(9 + 4 + 1 + Object.keys(guesses).length);
  expect(differences(recorded, toRecord(replies, "key"))).toEqual([]);
  expect(state).toMatchObject({ files: 0, openUploads: 0 });
});

test("a strict emulator refuses every doubt, and none of the service's requests", async () => {
  const { replies, told } = await run(["--strict"]);
  const refused = Object.entries(replies).flatMap(([name, { status }]) => (status === 200 ? [] : [name]));
  expect({ refused, told }).toEqual({ refused: Object.keys(guesses).map((name) => `${name} generate`), told: [] });
});

test("a run stops before its budget is passed, and says so", async () => {
  const budget = 0.02;
  const { dollars, isWhole, state } = await run([], budget);
  expect({ isWhole, isWithin: dollars <= budget }).toEqual({ isWhole: false, isWithin: true });
  expect((state.requests as Record<string, number>).generate).toBeLessThan(9 + Object.keys(guesses).length);
});

test("a recorded reply that the emulator does not give is named, and a key is not recorded", () => {
  const then = { sampling: { status: 400, code: "INVALID_ARGUMENT", message: "x" }, first: { status: 200 } };
  const now = { sampling: { status: 200 }, first: { status: 200 } };
  expect(differences(then, now)).toEqual(["sampling: recorded 400 INVALID_ARGUMENT, now 200 "]);
  expect(toRecord({ "first generate": { status: 403, message: "The key secret-1 is bad." } }, "secret-1")).toEqual({
    first: { status: 403, message: "The key [key] is bad." },
  });
});
