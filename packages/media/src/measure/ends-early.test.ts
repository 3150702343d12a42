import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { endsEarly } from "./ends-early.ts";
import type { Length } from "./measure-length.ts";
import type { Header } from "./read-header.ts";

/** Whether a fragmented file is taken for one that stops early: five seconds of pictures are there. */
async function endsEarlyOf(cutOff: boolean | null, declaredSeconds: number | null): Promise<boolean> {
  const format = "mov,mp4,m4a,3gp,3g2,mj2";
  const stream = { kind: "video", still: false, declaredSeconds };
  const header = { format, declaredSeconds, streams: [stream] } as Header;
  await using file = await open("/dev/null");
  const boxes = { fragmented: true, encrypted: false, cutOff };
  return await endsEarly(file, header, boxes, { reachedSeconds: 5, startSeconds: 0 } as Length);
}

test.each([true, null])(
  "a fragmented file that is not known to be whole (cut off: %s) is held to what it declares",
  async (cutOff) => {
    expect(await endsEarlyOf(cutOff, 10)).toBe(true);
    expect(await endsEarlyOf(cutOff, 5.2)).toBe(false);
    expect(await endsEarlyOf(cutOff, null)).toBe(false);
  },
);

test("of a whole fragmented file the declared length is a guess that nothing is held to", async () => {
  expect(await endsEarlyOf(false, 10)).toBe(false);
});
