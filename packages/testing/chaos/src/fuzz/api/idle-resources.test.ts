import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { idleDescriptors } from "./idle-resources.ts";

const script = `
echo; read go
exec 7</dev/null 8</dev/null 9</dev/null
echo; read go
exec 7<&- 8<&- 9<&-
read go`;

test.runIf(process.platform === "linux")(
  "descriptors are counted, and waited for until they are as before",
  async () => {
    const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = Number(child.pid);
    await once(child.stdout, "data");
    const before = await idleDescriptors(pid, 0);
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect(await idleDescriptors(pid, 0)).toBe(before + 3);
    child.stdin.write("\n");
    expect(await idleDescriptors(pid, 60_000, before)).toBe(before);
  },
);

test("a process that has ended has no number of descriptors", async () => {
  expect(await idleDescriptors(2 ** 30, 60_000)).toBeNaN();
});
