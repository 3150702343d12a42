import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { defaultLimits } from "@video-to-json/contract";
import { expect, onTestFinished, test } from "vitest";
import { openSchemaSandbox } from "./open-schema-sandbox.ts";

test("a task whose thread dies before it has begun runs in another thread", async () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
  onTestFinished(() => sandbox.close());
  await sandbox.compile('{"type":"object"}');
  // The pool notices the death after it has given the next task to the thread.
  const gone = once(threads[0] as Worker, "exit");
  void threads[0]?.terminate();
  await expect(sandbox.compile('{"type":"object","title":"b"}')).resolves.toMatchObject({ kind: "json-schema" });
  await gone;
  expect(threads).toHaveLength(2);
});
