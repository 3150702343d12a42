import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { measure } from "./measure.ts";

/** An MP4 of four black pictures of 16 × 16 (MPEG-4 Visual, two a second), compressed by gzip. */
const video = {
  durationMs: 2000,
  base64: [
    "H4sIAAAAAAACA31SvUoDQRCevSRGRCFiFMEgJ6b0n4iVYplCsNJKkDO7p0duveN2c6CFXGGhhb2tbyCIPoGNna34Aj6Brc5cLmYTNcPNfbOz8z8L",
    "ABVXn4WeCiSABYTIazKsrQLAsBsJgbgkuaMB2AOUighPU4Xp+fcLkg6tDYImm/k55ZZlEMTo5cv4hEMP5T4Aiq/AgL4usV6r/vM2DCQLvwsdOU2UD3Qz",
    "zZn7HQ3zwuA8f+YtZQxQFVwrxIrwle56ZHFTX/YpueegYEve3ztFS2DvOT0snnA/6tzEHhem5T6eg7pzyn1BNuxOeqcuCuVYpkHNMqu8fVfhkXCNNkZb",
    "kW+3ZeYofeSj/Ka04obNC645/mcU1HQJ6oj1jsXIjhM3bBmK49rfi5j++sL/rlBcpctOkmQLA+cRV+zxVDVGU7gtoGYWI95TdY/XE+30zIbnmyuYhEur",
    "3BhCE2ZRGaGjwqxA4vKRjtrTz4JRYqXTzXQayeMCSC5jw6aeuIK6Rp8un2EV786NhkhPdRcNxpiNwPBfQN5scU1bX5ciRaI5c8P4KiInDH1zWsMePqNv",
    "M78ApYEDAAA=",
  ].join(""),
};

/**
 * Measures a known video with ffprobe and ffmpeg. A worker trusts them with unknown videos only while they can.
 *
 * @param directory receives the video for a moment.
 * @throws the first obstacle: a program does not start, fails on a good video, or says what is wrong; or the reason of
 *   `signal`.
 */
export async function provePrograms({ directory, ...context }: RunContext & { directory: string }): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `test-${randomUUID()}.mp4`);
  try {
    await writeFile(path, gunzipSync(Buffer.from(video.base64, "base64")), { mode: 0o600 });
    const { durationMs } = await measure(path, { maxVideoSeconds: 60, ...context });
    if (durationMs !== video.durationMs)
      throw new Error(`A known video of ${video.durationMs} ms was measured as ${durationMs} ms.`);
  } finally {
    await rm(path, { force: true });
  }
}
