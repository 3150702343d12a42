import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ffmpegDirectory, startEmulator } from "@video-to-json/testing";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

test("a worker without ffmpeg and ffprobe exits at once and reports both, and its wrong settings as well", async () => {
  const started = promisify(execFile)(process.execPath, [main], { env: { PATH: "/nowhere" } });
  const ended = await started.catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1 });
  const { stderr } = ended as { stderr: string };
  for (const fault of ["ffmpeg was not found", "ffprobe was not found", "DATABASE_URL", "REDIS_URL"])
    expect(stderr).toContain(fault);
});

describe("a worker whose ffmpeg is not fully confined", () => {
  const directory = mkdtempSync(join(tmpdir(), "start-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  // No server answers at these addresses. A worker starts nevertheless.
  const env = {
    ...{ PATH: process.env.PATH, DATABASE_URL: "postgres://u:p@127.0.0.1:9/d", REDIS_URL: "redis://127.0.0.1:9" },
    ...{
      GEMINI_API_KEY: "key",
      PROVIDER_CHECK: "off",
      STORAGE_URL: `file://${directory}/storage`,
      SCRATCH_DIR: `${directory}/scratch`,
    },
  };

  /** Starts a worker and returns its output until it has started or ended. */
  async function start(settings: Record<string, string>): Promise<{ output: string; exitCode: number | null }> {
    const worker = spawn(process.execPath, [main], { env: { ...env, ...settings }, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void worker.kill("SIGKILL"));
    const closed = once(worker, "close");
    let output = "";
    worker.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    for await (const line of createInterface(worker.stdout)) {
      output += `${line}\n`;
      if (line.includes("worker started")) return { output, exitCode: null };
    }
    await closed;
    return { output, exitCode: worker.exitCode };
  }

  test("refuses to start where REQUIRE_CONFINEMENT is on, and says what is missing and what to do", async () => {
    const { output, exitCode } = await start({ REQUIRE_CONFINEMENT: "on" });
    expect(exitCode).toBe(1);
    expect(output).toContain("it can call every function of the kernel, and start other programs");
    expect(output).toContain("./scripts/build-minimal-ffmpeg");
  });

  test("starts with a warning where REQUIRE_CONFINEMENT is off", async () => {
    const { output, exitCode } = await start({});
    expect(exitCode).toBeNull();
    expect(output).toContain("ffmpeg is not fully confined");
  });

  test("tries the provider in the background, and /readyz says that the key is wrong and what to do", async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.stop());
    const settings = { PROVIDER_CHECK: "on", GEMINI_API_KEY: "invalid", GEMINI_BASE_URL: emulator.url };
    const { output } = await start(settings);
    const { operator } = JSON.parse(output.split("\n").find((line) => line.includes("worker started")) ?? "{}");
    const readiness = async () => (await fetch(`${operator}/readyz`)).text();
    await expect.poll(readiness).toMatch(/"provider_access".*Put a valid key into GEMINI_API_KEY/);
    expect(await (await fetch(`${operator}/metrics`)).text()).toContain(
      'video_to_json_dependency_up{dependency="provider_access"} 0',
    );
  });

  test.skipIf(!ffmpegDirectory)("starts where REQUIRE_CONFINEMENT is on once the launcher confines it", async () => {
    const { output, exitCode } = await start({ REQUIRE_CONFINEMENT: "on", FFMPEG_DIRECTORY: String(ffmpegDirectory) });
    expect(exitCode).toBeNull();
    expect(output).not.toContain("not fully confined");
  });
});
