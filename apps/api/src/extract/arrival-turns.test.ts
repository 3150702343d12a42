import { EventEmitter } from "node:events";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import type { Response } from "express";
import { expect, test } from "vitest";
import { lookUpInTurn, takesArrivalTurn } from "../caller/arrival-turns.ts";

test("a look-up that fails and is retried returns its turn and leaves no listener on the response", async () => {
  const response = Object.assign(new EventEmitter(), { locals: {}, destroyed: false }) as unknown as Response;
  const arrivalTurns = openFairPlaces(1);
  takesArrivalTurn({ arrivalTurns })({} as never, response, () => {});
  for (let attempt = 0; attempt < 30; attempt++) {
    await expect(lookUpInTurn(response, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(response.listenerCount("close")).toBe(0);
  }
  expect(await lookUpInTurn(response, () => Promise.resolve("caller"))).toBe("caller");
  expect(response.listenerCount("close")).toBe(1);
});
