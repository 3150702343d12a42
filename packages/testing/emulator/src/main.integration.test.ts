import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mainOf } from "@video-to-json/testing";
import { expect, test } from "vitest";

const main = mainOf("emulator");

test("the emulator prints one line when it listens; SIGTERM stops it and deletes the uploads", async () => {
  const folder = await mkdtemp(join(tmpdir(), "emulator-main-"));
  const faults = JSON.stringify([{ on: "list", kind: "status", status: 500 }]);
  const args = [main, "--port", "0", "--data-dir", join(folder, "data"), "--faults", faults];
  const running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = (await once(running.stdout.setEncoding("utf8"), "data")) as [string];
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    expect(pid).toBe(running.pid);
    const headers = { "x-goog-api-key": "k", "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start" };
    const type = { "x-goog-upload-header-content-type": "video/mp4" };
    await fetch(`${url}/upload/v1beta/files`, { method: "POST", headers: { ...headers, ...type } });
    expect((await fetch(`${url}/v1beta/files`, { headers })).status).toBe(500);
    const exited = once(running, "exit");
    running.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(await readdir(join(folder, "data"))).toEqual([]);
  } finally {
    running.kill("SIGKILL");
    await rm(folder, { recursive: true });
  }
});

test("an invalid flag stops the start and is named", async () => {
  const running = spawn(process.execPath, [main, "--port", "many"], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  running.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [code] = (await once(running, "close")) as [number];
  expect([code, errors]).toEqual([1, expect.stringContaining("--port")]);
});
