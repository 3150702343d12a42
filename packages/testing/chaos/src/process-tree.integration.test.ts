import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { processTree } from "./process-tree.ts";

test("the tree of a process has its children and theirs, and nobody else's", async () => {
  const parent = spawn("sh", ["-c", "sh -c 'echo $$; sleep 60 & echo $!; wait' & echo $!; wait"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = Number(parent.pid);
  onTestFinished(() => {
    process.kill(-pid, "SIGKILL");
  });
  const told = new Set<number>();
  const lines = createInterface({ input: parent.stdout });
  lines.on("line", (line) => told.add(Number(line)));
  while (told.size < 2) await once(lines, "line");
  expect(new Set(await processTree([pid]))).toEqual(told);
});
