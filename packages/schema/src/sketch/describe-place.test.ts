import { expect, test } from "vitest";
import { placeDescription } from "./describe-place.ts";

const told = (description: string) => placeDescription({ kind: "string", description }, true);

test("the caller's description ends with a full stop before a note", () => {
  const optional = "Optional: leave the key out when the video does not show it.";
  expect(told("The scorer")).toBe(`The scorer. ${optional}`);
  for (const ended of ["Who scored?", "Done.", 'He said "stop."', "得点者。", "One of these:", "and so on…"]) {
    expect(told(ended)).toBe(`${ended} ${optional}`);
  }
  expect(placeDescription({ kind: "timestamp", description: "the goal" }, false)).toMatch(/^the goal\. MM:SS from/);
  expect(placeDescription({ kind: "string", description: "as it is" }, false)).toBe("as it is");
  expect(placeDescription({ kind: "string" }, false)).toBeUndefined();
});
