import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Act, startFaultServer } from "./testing/fault-server.ts";
import { makeVideoFile } from "./testing/test-gemini.ts";

const jobs = 20;
const videoBytes = 15_000_000;
/** The image's worker may take 2 GiB, and each ffmpeg up to 450 MB and PP-OCR 250 MB of it. */
const maxPeakBytes = 600_000_000;

// A process of its own: this one holds what the server receives.
const script = `
  import { readFile } from "node:fs/promises";
  import { createGeminiProvider } from "./src/index.ts";
  const [baseUrl, path, jobs, maxInlineBytes] = process.argv.slice(1);
  const log = { info() {}, warn() {}, error() {} };
  const models = { small: ["small-1"], large: ["large-1"] };
  const gemini = createGeminiProvider({ apiKey: "key", baseUrl, models, log, maxInlineBytes: Number(maxInlineBytes) });
  const video = { path, mimeType: "video/mp4", durationMs: 10_000, hasSound: false };
  const question = { model: "small", system: "rules", prompt: "question", responseSchema: null };
  const run = { signal: new AbortController().signal, deadline: new Date(Date.now() + 100_000) };
  const ids = Array.from({ length: Number(jobs) }, (_, n) => "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a" + (10 + n));
  await Promise.all(ids.map((jobId) => gemini.withVideo({ ...video, jobId }, run, (ask) => ask(question))));
  await gemini.close();
  const status = await readFile("/proc/self/status", "utf8");
  console.log(Number(/^VmHWM:\\s+(\\d+) kB$/m.exec(status)?.[1]) * 1024);
`;

test("twenty videos of 15 MB at once, inside questions and as files, leave room in the memory of a small worker", async () => {
  await using server = await startFaultServer();
  await using file = await makeVideoFile(videoBytes);
  const slow: Act = async ({ proceed }) => {
    await delay(1_000);
    await proceed();
  };
  server.next("generate", ...Array.from({ length: jobs }, () => slow));
  const args = ["--input-type=module", "-e", script, server.url, file.video.path, String(jobs), String(videoBytes)];
  const cwd = new URL("../..", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  const inline = server.seen.filter(({ call, bytes, body }) => call === "generate" && bytes + body.length > videoBytes);
  console.log(`${Math.round(Number(stdout) / 1e6)} MB at the peak, ${inline.length} videos inside questions`);
  expect(inline.length).toBeGreaterThanOrEqual(4);
  expect(Number(stdout)).toBeLessThan(maxPeakBytes);
});
