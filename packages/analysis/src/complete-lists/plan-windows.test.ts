import { expect, test } from "vitest";
import { planWindows } from "./plan-windows.ts";

test("windows cover a part of a video to its end, and each repeats 20 seconds of the previous one", () => {
  for (const durationMs of [120_001, 220_000, 220_001, 333_333, 600_000]) {
    const windows = planWindows({ fromMs: 30_000, toMs: 30_000 + durationMs });
    expect(windows[0]?.fromMs).toBe(30_000);
    expect(windows.at(-1)?.toMs).toBe(30_000 + durationMs);
    for (const [index, { fromMs }] of windows.slice(1).entries()) {
      expect((windows[index]?.toMs ?? 0) - fromMs).toBe(20_000);
    }
  }
});

test("a part that fits in one window has none", () => {
  expect(planWindows({ fromMs: 30_000, toMs: 150_000 })).toEqual([]);
});
