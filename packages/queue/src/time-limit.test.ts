import { readFile } from "node:fs";
import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { within } from "./time-limit.ts";

test("work that takes longer is given up, by name", async () => {
  await expect(within(5, "Waiting", new Promise(() => {}))).rejects.toThrow("Waiting took longer than 5 ms.");
});

test("work that was done in time counts as done, though this process stood still and hears of it late", async () => {
  const answered = new Promise((resolve, reject) => {
    // Standing still while it reads: the timers that are due come next, before it reads on.
    readFile(import.meta.filename, () => {
      within(20, "Waiting", stat(".")).then(resolve, reject);
      const until = performance.now() + 50;
      while (performance.now() < until);
    });
  });
  expect(await answered).toBeDefined();
});
