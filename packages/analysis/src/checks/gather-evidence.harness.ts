import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { afterAll } from "vitest";
import type { Ask } from "../analysis-provider.ts";
import { type Budget, openBudget } from "./budget.ts";
import type { ScreenReading } from "./check-quotes.ts";
import { type AnswerToProve, type EvidenceChecks, gatherEvidence } from "./gather-evidence.ts";
import { checksThread, runInThreadsOf } from "./run-in-thread.ts";

const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, thread: checksThread });
afterAll(() => sandbox.close());
const runInThread = runInThreadsOf(sandbox);

const noChecks: EvidenceChecks = {
  compare: (words, run) => runInThread("compareWords", words, run.signal),
  readScreens: async () => null,
  hear: async () => "",
  checkTimes: async () => ({ findings: new Map(), isCorrected: false }),
  askVisual: null,
};

type Frame = { atMs: number; reading: ScreenReading; script?: string };

/** Returns a reader of frames that reads each on its own. A null means that it cannot read the script. */
export function eachFrame(read: (frame: Frame) => Promise<string | null>): EvidenceChecks["readScreens"] {
  return async ({ times, ...how }) => {
    const texts = await Promise.all(times.map((atMs) => read({ atMs, ...how })));
    return texts.includes(null) ? null : texts;
  };
}

export type Given = {
  data: unknown;
  schema?: unknown;
  reply?: unknown;
  checks?: Partial<EvidenceChecks>;
  budget?: Budget;
  ask?: Ask;
} & Partial<AnswerToProve>;

const plenty = openBudget(undefined, 3_600_000, { factor: 100 });

/** Gathers evidence about an answer with a model that says `reply`. Returns it and the prompts. */
export async function gather({
  data,
  schema = {},
  reply = { fields: [] },
  checks,
  budget = plenty,
  ask,
  ...more
}: Given) {
  const asked: string[] = [];
  const evidence = await gatherEvidence(
    {
      ask:
        ask ??
        (async ({ prompt }, run) => {
          asked.push(prompt);
          run?.signal.throwIfAborted();
          if (reply instanceof Error) throw reply;
          return { text: typeof reply === "string" ? reply : withIds(reply, prompt), model: "m" };
        }),
      checks: { ...noChecks, ...checks },
      runInThread,
      budget,
      log: { warn() {} },
    },
    {
      ...{ jobId: "j", dataText: JSON.stringify(data), schemaText: JSON.stringify(schema), instructions: null },
      ...{ durationMs: 60_000, budgetMs: 30_000, maxBytes: 65_536, signal: new AbortController().signal, ...more },
    },
  );
  return { evidence, asked };
}

/** Writes a reply with the ids that the question gives its fields. Unknown fields get an id that is not in it. */
export function withIds(reply: unknown, prompt: string): string {
  const lines = prompt.split("\n").filter((line) => line.startsWith('{"id"'));
  const ids = new Map(lines.map((line) => JSON.parse(line)).map(({ id, pointer }) => [pointer, id]));
  const { fields } = reply as { fields: { pointer: unknown }[] };
  return JSON.stringify({ fields: fields.map(({ pointer, ...said }) => ({ id: ids.get(pointer) ?? 9_999, ...said })) });
}

export const at = (from: string, to: string, more: object = {}) => ({ from, to, modality: "visual", ...more });
export const field = (pointer: string, ...spans: object[]) => ({ pointer, spans });
export const title = { fields: [field("/title", at("00:01", "00:03", { modality: "text", quote: "Opening night" }))] };

/** Returns the value that a pointer names. Throws if there is no such value. */
export function resolve(data: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce((node, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof node !== "object" || node === null || !Object.hasOwn(node, key))
        throw new Error(`${pointer} leads nowhere`);
      return (node as Record<string, unknown>)[key];
    }, data);
}
