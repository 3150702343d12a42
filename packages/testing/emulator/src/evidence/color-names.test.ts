import { expect, test } from "vitest";
import { colorShares } from "./color-names.ts";

test.each([
  ["red", 254, 0, 0],
  ["green", 0, 128, 0],
  ["green", 0, 255, 0],
  ["blue", 0, 0, 255],
  ["blue", 0, 0, 128],
  ["yellow", 255, 255, 0],
  ["orange", 255, 165, 0],
  ["purple", 128, 0, 128],
  ["pink", 255, 192, 203],
  ["cyan", 0, 255, 255],
  ["magenta", 255, 0, 255],
  ["brown", 139, 69, 19],
  ["black", 5, 5, 5],
  ["white", 250, 250, 250],
  ["gray", 128, 128, 128],
])("%s gets its name", (name, red, green, blue) => {
  expect(colorShares([{ rgb: [red, green, blue], share: 1 }])[0]?.name).toBe(name);
});

test("the nearest of the given names is chosen, spelled grey or gray", () => {
  expect(colorShares([{ rgb: [0, 128, 128], share: 1 }], ["Navy", "Teal", "Maroon"])[0]?.name).toBe("Teal");
  expect(colorShares([{ rgb: [120, 120, 120], share: 1 }], ["grey", "red", "not a colour"])[0]?.name).toBe("grey");
});
