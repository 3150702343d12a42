import { readFile } from "node:fs/promises";
import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { expect, test } from "vitest";
import { bearer } from "./service-facts.ts";

// It probes a hundred videos at once, which takes half a minute on an idle machine.
test("one worker runs a hundred jobs at once in 400 MB of memory", async () => {
  const hundred = { WORKER_CONCURRENCY: "100", GLOBAL_CONCURRENCY: "100", MAX_JOBS_PER_ACCOUNT: "100" };
  await using service = await startService({ env: { ...hundred, EXTRACTIONS_PER_MINUTE: "1000" } });
  const key = await service.newKey(36_000);
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 60_000, times: -1 }]);
  const answers = Array.from({ length: 100 }, (_, n) => service.extract({ instructions: `${n}` }, bearer(key)));
  await service.emulator.waitFor({ "requests.generate": 100 });
  await service.emulator.setFaults([]);
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([200]));
  const status = await readFile(`/proc/${service.processOf("worker-1").pid}/status`, "utf8");
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  console.log(`${(peak / 1_000_000).toFixed()} MB at the peak`);
  expect(peak).toBeLessThan(400_000_000);
  await untilNothingIsLeft(service);
});
