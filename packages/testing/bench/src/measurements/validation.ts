import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { Ajv } from "ajv";
import type { Benchmark, Run } from "../benchmark.ts";
import { figure, type Measurement } from "../figure.ts";
import { median, repeat, summary } from "../times.ts";

/** Validating an answer in the sandbox of a worker, compared with a bare ajv. */
export const validation: Benchmark = {
  name: "validation",
  title: "Validation",
  how: "an answer of 10 KB against a schema of 3 KB in the warm sandbox of a worker, beside a compiled ajv in the same thread",
  measure: measureValidation,
};

const goals = { p50Ms: 10, blockedMs: 10 } as const;
const rounds = 5;

/** The times of some calls in milliseconds, and the longest turn of the event loop: by the clock and in processor time. */
type Result = { times: number[]; longestMs: number; longestCpuMs: number };

async function measureValidation({ quick, tell }: Run): Promise<Measurement> {
  const times = quick ? 20 : 200;
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 2, timeoutMs: 4000 });
  const account = sandbox.forAccount("bench");
  const schema = await account.compile(schemaText);
  const validate = new Ajv().compile(JSON.parse(schemaText));
  const works = {
    pause: () => sleep(5),
    check: async () => {
      const checked = await account.check(schema, answerText, 60_000);
      if (!checked.ok) throw new Error(`The answer does not conform: ${checked.violations}`);
    },
    bare: async () => {
      if (!validate(JSON.parse(answerText))) throw new Error("The answer does not conform for ajv.");
    },
  };
  const results: Record<keyof typeof works, Result[]> = { check: [], pause: [], bare: [] };
  try {
    tell(`Validating ${rounds} × ${times} answers …`);
    for (const what of ["check", "bare"] as const) await repeat(works[what], times, 1);
    for (let round = 0; round < rounds; round++) {
      for (const what of ["pause", "check", "bare"] as const) results[what].push(await watched(works[what], times));
    }
  } finally {
    await sandbox.close();
  }
  const p = (what: keyof typeof works, part: "p50" | "p99") =>
    median(results[what].map((result) => summary(result.times)[part]));
  const longest = (what: string, by: "longestMs" | "longestCpuMs") => {
    const [check, pause] = [results.check, results.pause].map((all) => median(all.map((one) => one[by])));
    const comparison = { beside: ["without work", Number(pause)], most: goals.blockedMs } as const;
    return figure(`longest turn of the event loop, ${what}`, "ms", Number(check), comparison);
  };
  return {
    figures: [
      figure("p50", "ms", p("check", "p50"), { beside: ["bare ajv", p("bare", "p50")], most: goals.p50Ms }),
      figure("p99", "ms", p("check", "p99"), { beside: ["bare ajv", p("bare", "p99")] }),
      longest("processor time", "longestCpuMs"),
      longest("by the clock", "longestMs"),
    ],
    conditions: [
      `schema of ${schemaText.length} bytes, answer of ${answerText.length} bytes`,
      `median of ${rounds} turns of ${times} answers`,
    ],
  };
}

/** Runs some work again and again, and watches the event loop of this thread meanwhile. */
async function watched(work: () => Promise<unknown>, times: number): Promise<Result> {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = cpuMs();
  let longestCpuMs = 0;
  const timer = setInterval(() => {
    const now = cpuMs();
    longestCpuMs = Math.max(longestCpuMs, now - last);
    last = now;
  }, 1);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const taken = await repeat(work, times, 1);
  delays.disable();
  clearInterval(timer);
  return { times: taken, longestMs: delays.max / 1e6, longestCpuMs };
}

const description = "what the picture shows at this moment of the video, as far as anybody can see it there";
const options = ["one person", "several people", "an animal", "nothing that moves", "something else"];
const kinds = [
  {
    schema: { type: "string", minLength: 1, maxLength: 200 },
    answer: (scene: number) => `a customer opens door ${scene}`,
  },
  { schema: { type: "number", minimum: 0, maximum: 1000 }, answer: (scene: number) => scene + 0.5 },
  { schema: { enum: options }, answer: () => "several people" },
] as const;

function eachMember(value: (kind: (typeof kinds)[number]) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [`member_${index}`, value(kinds[index % 3] ?? kinds[0])]),
  );
}

/** A JSON Schema of about 3 KB: a list of scenes. */
const schemaText = JSON.stringify({
  type: "object",
  properties: {
    title: { type: "string", description: "the title of the video, as the picture shows it" },
    scenes: {
      type: "array",
      items: {
        type: "object",
        properties: eachMember(({ schema }) => ({ ...schema, description })),
        required: ["member_0", "member_1"],
        additionalProperties: false,
      },
    },
  },
  required: ["title", "scenes"],
});

/** An answer of about 10 KB that conforms to it. */
const answerText = JSON.stringify({
  title: "A day in the shop",
  scenes: Array.from({ length: 28 }, (_, scene) => eachMember(({ answer }) => answer(scene))),
});
