import { expect, test } from "vitest";
import { uploadLine } from "./stage-line.ts";

const half = { name: "clip.mp4", sentBytes: 100e6, totalBytes: 200e6, elapsedMs: 4000 };

test("an upload shows bar, percentage, bytes, rate and time left", () => {
  expect(uploadLine(half, 200)).toBe(
    `Uploading clip.mp4 ${"█".repeat(15)}${"░".repeat(15)}  50 %  100 MB of 200 MB  25 MB/s  0:04 left`,
  );
});

test("a line is never wider than the terminal, whatever the name", () => {
  for (const name of ["clip.mp4", "x".repeat(300), ""]) {
    for (let columns = 0; columns < 200; columns++) {
      expect(uploadLine({ ...half, name }, columns).length).toBeLessThanOrEqual(columns);
    }
  }
});

test("a narrow terminal keeps the figures", () => {
  expect(uploadLine(half, 56)).toMatch(/^Uploading +50 % {2}100 MB of 200 MB {2}25 MB\/s {2}0:04 left$/);
  expect(uploadLine({ ...half, name: "x".repeat(300) }, 80)).toMatch(/^Uploading x+… [█░]{5,} {2}50 %/);
});

test("rate and time left are missing until they are known", () => {
  expect(uploadLine({ ...half, sentBytes: 0, elapsedMs: 0 }, 100)).toMatch(/░ {3}0 % {2}0 B of 200 MB$/);
  expect(uploadLine({ ...half, sentBytes: 0, totalBytes: 0 }, 100)).toContain("100 %");
});

test("100 % appears only when everything is sent", () => {
  expect(uploadLine({ ...half, sentBytes: 199_999_999 }, 100)).toContain(" 99 %");
  expect(uploadLine({ ...half, sentBytes: 200e6 }, 100)).toMatch(/█{10,} 100 %/);
});
