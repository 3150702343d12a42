import { expect, test } from "vitest";
import { progressLine } from "./progress-line.ts";

function shown(isTTY: boolean): string {
  let text = "";
  const line = progressLine({ isTTY, write: (part) => (text += part) });
  line.sent(512, 2048);
  line.sent(2048, 2048);
  line.waiting("waiting for the answer");
  line.done();
  return text;
}

test("a terminal shows the bar and then the waiting time on one line", () => {
  const text = shown(true);
  expect(text.match(/\n/g)).toHaveLength(1);
  expect(text).toMatch(/ 25 % of 2 KiB sent[\s\S]*100 % of 2 KiB sent · waiting for the answer, 0 s\n$/);
});

test("a log gets each step once", () => {
  expect(shown(false).split("\n").filter(Boolean)).toEqual([
    expect.stringMatching(/100 % of 2 KiB sent$/),
    expect.stringMatching(/waiting for the answer, 0 s$/),
  ]);
});
