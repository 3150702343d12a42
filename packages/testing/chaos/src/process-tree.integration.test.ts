import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { processTree } from "./process-tree.ts";

test("the tree of a process contains its descendants and no other process", async () => {
  const parent = spawn("sh", ["-c", "sh -c 'echo $$; sleep 60 & echo $!; wait' & echo $!; wait"], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = Number(parent.pid);
  onTestFinished(() => {
    process.kill(-pid, "SIGKILL");
  });
  const descendants = new Set<number>();
  const lines = createInterface({ input: parent.stdout });
  lines.on("line", (line) => descendants.add(Number(line)));
  while (descendants.size < 2) await once(lines, "line");
  expect(new Set(await processTree([pid]))).toEqual(descendants);
});
