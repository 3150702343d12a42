import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { Ajv } from "ajv";
import { answerTasks } from "../processes/answer-tasks.ts";

/** A task: so many checks, or as many pauses of 5 ms, or as many checks by a bare ajv that was compiled once. */
export type CheckTask = { what: "check" | "pause" | "bare"; times: number; schemaText: string; answerText: string };

/**
 * The time of each in milliseconds, and the longest block of the event loop: in real time, and in processor time of its
 * thread.
 */
export type CheckResult = { times: number[]; longestMs: number; longestCpuMs: number };

// This file is the entry point of a process that validates answers as a worker does.
const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 2, timeoutMs: 4000 });
const account = sandbox.forAccount("bench");
const delays = monitorEventLoopDelay({ resolution: 1 });

answerTasks(async ({ what, times, schemaText, answerText }: CheckTask): Promise<CheckResult> => {
  const schema = await account.compile(schemaText);
  const validate = new Ajv().compile(JSON.parse(schemaText));
  const work = {
    check: async () => {
      const checked = await account.check(schema, answerText, 60_000);
      if (!checked.ok) throw new Error(`The answer does not conform: ${checked.violations}`);
    },
    pause: () => sleep(5),
    bare: async () => {
      if (!validate(JSON.parse(answerText))) throw new Error("The answer does not conform for ajv.");
    },
  }[what];
  const turns = watchTurns();
  delays.reset();
  delays.enable();
  const taken: number[] = [];
  for (let done = 0; done < times; done++) {
    const startedAt = performance.now();
    await work();
    taken.push(performance.now() - startedAt);
  }
  delays.disable();
  return { times: taken, longestMs: delays.max / 1e6, longestCpuMs: turns.stop() };
});

/**
 * Watches how much processor time this thread uses between two turns of its event loop. `stop` returns the maximum in
 * ms.
 */
function watchTurns(): { stop(): number } {
  let last = cpuMs();
  let longest = 0;
  const timer = setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return longest;
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
