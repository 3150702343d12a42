import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Length } from "./measure-length.ts";
import type { Header } from "./read-header.ts";
import { stopsEarly } from "./stops-early.ts";

/** Whether a fragmented file is taken for one that stops early: five seconds of pictures are there. */
async function judge(cutOff: boolean | null, declaredSeconds: number | null): Promise<boolean> {
  const format = "mov,mp4,m4a,3gp,3g2,mj2";
  const stream = { kind: "video", still: false, declaredSeconds };
  const header = { format, declaredSeconds, streams: [stream] } as Header;
  await using file = await open("/dev/null");
  const boxes = { fragmented: true, encrypted: false, cutOff };
  return await stopsEarly(file, header, boxes, { reachedSeconds: 5, startSeconds: 0 } as Length);
}

test.each([true, null])(
  "a fragmented file that is not known to be whole (cut off: %s) is held to what it declares",
  async (cutOff) => {
    expect(await judge(cutOff, 10)).toBe(true);
    expect(await judge(cutOff, 5.2)).toBe(false);
    expect(await judge(cutOff, null)).toBe(false);
  },
);

test("of a whole fragmented file the declared length is a guess that nothing is held to", async () => {
  expect(await judge(false, 10)).toBe(false);
});
