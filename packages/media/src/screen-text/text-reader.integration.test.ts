import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { makeVideo } from "@video-to-json/testing";
import { mainOf } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findConfinement } from "../ffmpeg/confinement.ts";
import { readScreenTexts } from "./read-screen-text.ts";
import { openTextReader } from "./text-reader.ts";

// The ffmpeg of the system: ours has no filters that make text hard to read.
const confinement = await findConfinement({});
const reader = openTextReader();
let scratchDir: string;
let videos: string;

beforeAll(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "text-scratch-"));
  videos = await mkdtemp(join(tmpdir(), "text-videos-"));
  const scenes = [
    { seconds: 1, color: "0x304050", text: "Final score 3-1" },
    { seconds: 1, color: "0x304050" },
  ] as const;
  await makeVideo({ scenes, width: 640, height: 360, withoutSound: true }, join(videos, "plain.mp4"));
});

afterAll(async () => {
  await reader.close();
  await Promise.all([scratchDir, videos].map((directory) => rm(directory, { recursive: true })));
});

const read = (path: string, atMs: number, signal?: AbortSignal) =>
  reader.read(path, atMs, { scratchDir, confinement, signal });

/** Returns a video with the plain one's text behind a filter. */
async function filtered(name: string, filter: string): Promise<string> {
  const output = join(videos, `${name}.mp4`);
  await promisify(execFile)("ffmpeg", ["-i", join(videos, "plain.mp4"), "-vf", filter, output]);
  return output;
}

test.each([
  ["tilted", "rotate=18*PI/180:c=0x304050"],
  ["noisy", "noise=alls=70:allf=t"],
])("%s text is read that tesseract misses, and the frame is not kept", async (name, filter) => {
  const path = await filtered(name, filter);
  expect((await read(path, 500)).replaceAll(" ", "")).toContain("Finalscore3-1");
  const first = readScreenTexts(path, [500], { reading: "all", scratchDir, confinement });
  expect(String(await first.catch(() => ""))).not.toContain("Final score 3-1");
  expect(await readdir(scratchDir)).toEqual([]);
});

/**
 * Codes that qrencode and zint have drawn, by what they contain: their width, and the modules of each row as a number in
 * base 16, the left one first, and how many modules high a row is.
 */
const codes: Record<string, { width: number; rows: string; high?: number }> = {
  "HTTPS://ACME.EXAMPLE/A7": {
    width: 21,
    rows: "fe3bf8 827a08 ba42e8 babae8 baa2e8 823208 feabf8 007000 c750c0 b1d500 fb3c08 b932f0 a6ca58 009678 fefce8 82b5f0 ba3128 ba5160 ba5458 82f728 fe82c0",
  },
  "SN99-1204": { width: 14, rows: "aaa8 b6fc 9b20 f2d4 adc0 86ec b070 912c a748 86d4 d318 a1a4 9500 fffc" },
  "4006381333931": { width: 95, rows: "a353af7a259aa14285d2166a", high: 60 },
  "TICKET 20611": {
    width: 15,
    rows: "2a9a b0be b088 bffa b01c 97dc 145a b552 3456 d7d4 1016 1ff8 c626 f834 1980",
  },
  "BOARDING M1DOE/JOHN": {
    width: 120,
    high: 3,
    rows: "ff547d5f3ade1a430f59f7d5f3fa29 ff547d4634e11627ebcbc7a903fa29 ff5454f02fdc51e36b8986a3e3fa29 ff546bcfb3dd1ec5c939c6bcfbfa29 ff546b842fd61bcbef0a47ae73fa29 ff547d7b20d1d19bc9d187af0bfa29 ff5474efa08d9b240e38974efbfa29",
  },
  MQR7: { width: 13, rows: "fea8 8240 bab8 ba48 ba88 8270 fe08 00a8 e880 66e8 ff58 3140 97b0" },
  "SN-4711-A": { width: 134, rows: "d21ba2e34dcbbd1db125ee9b9463a663ac", high: 60 },
  "96385074": { width: 67, rows: "a2d7bd6ea9dca25ca", high: 60 },
  // UPC-A and UPC-E, whose products show fewer digits than they have.
  "036000291452": { width: 95, rows: "a35eaf1a346ab674cd7276ca", high: 60 },
  "01234565": { width: 51, rows: "acc9bd3ae57aa", high: 60 },
  // The code has a zero byte, a tab and a bell between these.
  "LOT 7 - 1": {
    width: 21,
    rows: "fe2bf8 82aa08 bab2e8 ba0ae8 bafae8 82e208 feabf8 008000 d33bb0 4193b0 879248 a16e58 5a3270 00a580 fe9ef0 8224d8 ba2930 bac698 ba56a8 82d9c0 fee0d0",
  },
};

/** Returns a video that shows a code behind a filter. */
async function showing(code: string, filter: string): Promise<string> {
  const { width = 0, rows = "", high = 1 } = codes[code] ?? {};
  const bits = (row: string) => [...row].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, "0"));
  const modules = rows
    .split(" ")
    .flatMap((row) => Array.from({ length: high }, () => [...bits(row).join("").slice(0, width)].join(" ")));
  const name = join(videos, `${code.replace(/\W/g, "")}-${filter.length}`);
  await writeFile(`${name}.pbm`, `P1\n${width} ${modules.length}\n${modules.join("\n")}\n`);
  const white = `format=gray,scale=iw*4:ih*4:flags=neighbor,pad=640:360:-1:-1:white,${filter}`;
  await promisify(execFile)("ffmpeg", ["-i", `${name}.pbm`, "-vf", white, "-pix_fmt", "yuv420p", `${name}.mp4`]);
  return `${name}.mp4`;
}

test.each([
  ...Object.keys(codes).map((code) => [code, "null"] as const),
  ...["rotate=18*PI/180:c=white", "noise=alls=40:allf=t"].flatMap((filter) =>
    ["HTTPS://ACME.EXAMPLE/A7", "SN99-1204", "4006381333931", "LOT 7 - 1"].map((code) => [code, filter] as const),
  ),
])("the bar code of %s is read behind the filter %s", async (code, filter) => {
  expect((await read(await showing(code, filter), 0)).split("\n")).toContain(code);
});

test("a frame without text, and a time after the end, have no text", async () => {
  const path = join(videos, "plain.mp4");
  expect([await read(path, 1_500), await read(path, 60_000)]).toEqual(["", ""]);
});

test.skipIf(process.platform !== "linux")(
  "only the thread that reads has less priority than the rest of the process",
  async () => {
    await read(join(videos, "plain.mp4"), 500);
    const threads = await readdir("/proc/self/task");
    const stats = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, "utf8")));
    const priorities = stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
    expect(new Set(priorities)).toEqual(new Set([0, 5]));
  },
);

test("an abort ends the thread that reads, and the next frame is read by a new one", async () => {
  const own = openTextReader();
  onTestFinished(() => own.close());
  const abort = new AbortController();
  // The thread starts after ffmpeg has ended, and loads the models first.
  process.once("worker", () => setImmediate(() => abort.abort()));
  const path = join(videos, "plain.mp4");
  const reading = own.read(path, 400, { scratchDir, confinement, signal: abort.signal });
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  expect(await own.read(path, 500, { scratchDir, confinement })).toContain("3-1");
  expect(await readdir(scratchDir)).toEqual([]);
});

test("a reader whose thread cannot load the models fails each frame at once", async () => {
  const broken = join(videos, "broken.mjs");
  await writeFile(broken, 'throw new Error("no memory");');
  const own = openTextReader(pathToFileURL(broken));
  onTestFinished(() => own.close());
  for (const atMs of [400, 500]) {
    const reading = own.read(join(videos, "plain.mp4"), atMs, { scratchDir, confinement });
    await expect(reading).rejects.toMatchObject({
      name: "AbortError",
      cause: { message: expect.stringMatching("died") },
    });
  }
});

test("the bundle of a release reads as the source does, with the models beside it", async () => {
  const frame = join(videos, "frame.pgm");
  await promisify(execFile)("ffmpeg", ["-i", join(videos, "plain.mp4"), "-frames:v", "1", "-pix_fmt", "gray", frame]);
  const thread = pathToFileURL(join(dirname(mainOf("worker")), "read-text-thread.js")).href;
  const script = `import { readFileSync } from "node:fs"; import { readText } from ${JSON.stringify(thread)};
    console.log(await readText(readFileSync(process.argv[1])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, frame]);
  expect(stdout).toContain("3-1");
});
