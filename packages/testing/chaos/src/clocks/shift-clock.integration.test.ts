import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openClocks } from "./open-clocks.ts";

test("the clock of a process jumps by what its file says, and back", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-clock-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const clocks = openClocks(dataDir, "");
  const source = `process.stdin.on("data", () => {
    console.log(JSON.stringify([Date.now(), +new Date(), Date.parse(Date()), +new Date(5), new Date() instanceof Date]));
  })`;
  const env = { ...process.env, ...clocks.settingsOf({ name: "worker-1" }) };
  const child = spawn(process.execPath, ["--eval", source], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  /** Returns the error of the process's clock in minutes, as the process sees it. */
  const ask = async () => {
    child.stdin.write("?");
    const [now, made, text, five, isDate] = JSON.parse(String((await once(child.stdout, "data"))[0])) as number[];
    expect([five, isDate]).toEqual([5, true]);
    return [now, made, text].map((ms = 0) => Math.round((ms - Date.now()) / 60_000) + 0);
  };
  expect(await ask()).toEqual([0, 0, 0]);
  clocks.shift("worker-1", 3_600_000);
  await expect.poll(ask).toEqual([60, 60, 60]);
  clocks.shift("worker-1", -7_200_000);
  await expect.poll(ask).toEqual([-120, -120, -120]);
  clocks.shift("worker-1", 0);
  await expect.poll(ask).toEqual([0, 0, 0]);
});
