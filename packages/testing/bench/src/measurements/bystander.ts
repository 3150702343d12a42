import { setTimeout as sleep } from "node:timers/promises";
import { answerTasks } from "../script.ts";

// This file is the entry point of a process that reads a balance for some time, so that the load of the benchmark does not
// delay its measurements. The result is the times of `GET /v1/me` in milliseconds.
const [baseUrl, apiKey] = process.argv.slice(2);

answerTasks(async ({ ms }: { ms: number }) => {
  const times: number[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await sleep(20)) {
    const startedAt = performance.now();
    const response = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    await response.text();
    if (response.status !== 200) throw new Error(`GET /v1/me answers ${response.status}.`);
    times.push(performance.now() - startedAt);
  }
  return times;
});
