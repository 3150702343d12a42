import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { endsEarly } from "./ends-early.ts";
import type { Length } from "./measure-length.ts";
import type { Header } from "./read-header.ts";

/** Returns whether a fragmented file with five seconds of pictures ends early. */
async function fragmentedEndsEarly(cutOff: boolean | null, declaredSeconds: number | null): Promise<boolean> {
  const format = "mov,mp4,m4a,3gp,3g2,mj2";
  const stream = { kind: "video", still: false, declaredSeconds };
  const header = { format, declaredSeconds, streams: [stream] } as Header;
  await using file = await open("/dev/null");
  const boxes = { fragmented: true, encrypted: false, cutOff, mayHide: true };
  return await endsEarly(file, header, boxes, { reachedSeconds: 5, startSeconds: 0 } as Length);
}

test.each([true, null])(
  "a fragmented file that may be incomplete (cut off: %s) is checked against its declared length",
  async (cutOff) => {
    expect(await fragmentedEndsEarly(cutOff, 10)).toBe(true);
    expect(await fragmentedEndsEarly(cutOff, 5.2)).toBe(false);
    expect(await fragmentedEndsEarly(cutOff, null)).toBe(false);
  },
);

test("a complete fragmented file is not checked against its declared length, which is a guess", async () => {
  expect(await fragmentedEndsEarly(false, 10)).toBe(false);
});
