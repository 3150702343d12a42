import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { numberOption } from "@video-to-json/testing";
import { repositoryRoot } from "@video-to-json/testing/running";
import { type Column, columns, modes, replayMode } from "./run/columns.ts";
import type { Budget } from "./run/spending.ts";
import { suiteNames } from "./suite/read-suite.ts";

export const usage = `Usage: ./scripts/quality [options]
Renders videos whose truth is known, sends them through the whole service, and scores the answers.
  --half open|blinded   which half of the seeds (default open); do not look at the blinded half while you change the service
  --count N             how many seeds of that half (default 18)
  --seeds LIST          these seeds instead: 7, 1-20 or 3,9,100-104
  --cases DIR           your own cases instead: <name>.json with schema, durationMs and truth, and <name>.mp4 (docs/quality.md)
  --suite NAME          a published suite instead (${suiteNames.join(", ")}), from files that you have:
    --annotations FILE    its questions and their truth
    --videos DIR          its videos, <id>.mp4; without it, rendered videos of the same length, whose marks are the truth
    --answers FILE        the released answers of a model: the emulator gives them as its first pass
    --max-seconds N       only videos up to this length (default 600)
    --limit N             only so many videos
  --laboratory          no service: measures with these seeds what the checks do when the model errs inside clips
  --modes LIST          how the emulator errs: ${Object.keys(modes).join(", ")} (default all)
  --columns LIST        ways to ask: ${columns.map(({ name }) => name).join(", ")} (default all)
  --provider-url URL    another emulator or provider, as it is
  --live                Gemini, with the key in GEMINI_API_KEY, or with PROVIDER=chat the server of the settings CHAT_*; needs
                        a budget
  --budget-requests N, --budget-tokens N, --budget-dollars N
                        the run stops before it spends more; dollars need both prices
  --price-in N, --price-out N
                        dollars for a million tokens of questions and of answers
  --results FILE        keep the results here and continue with it (live: .local/quality/live-<half>.jsonl)
  --out DIR             directory of the report (default .local/quality/report)
  --workers N           how many jobs at once (default: one for four cores: the clips of one job are looked at together)
Ends with 3 when the budget ended the run; the same command with a larger budget continues it.`;

const text = { type: "string" } as const;

const optionFlags = {
  half: { ...text, default: "open" },
  count: { ...text, default: "18" },
  ...{
    seeds: text,
    cases: text,
    modes: text,
    columns: text,
    results: text,
    out: text,
    workers: text,
    "provider-url": text,
    ...{ suite: text, annotations: text, videos: text, answers: text, limit: text },
    "max-seconds": { ...text, default: "600" },
  },
  ...{ "budget-requests": text, "budget-tokens": text, "budget-dollars": text, "price-in": text, "price-out": text },
  live: { type: "boolean", default: false },
  laboratory: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

const gemini = "https://generativelanguage.googleapis.com";
const anyAmount = { min: 0, max: 1e12, fractions: true };

/** Reads the options; undefined for `--help`. Throws an error that names the wrong one. */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>) {
  const apiKey = env.GEMINI_API_KEY;
  const { values } = parseArgs({ args, strict: true, options: optionFlags });
  if (values.help) return undefined;
  const number = (option: string, given: string | undefined, bounds: Bounds = anyAmount) =>
    given === undefined ? undefined : numberOption(option, given, bounds);
  const { live: isLive, "provider-url": url, results, out } = values;
  const half = oneOf("--half", values.half, halves);
  const count = numberOption("--count", values.count, { min: 1, max: 1000 });
  const seeds = values.seeds === undefined ? firstSeeds(half, count) : readSeeds(values.seeds);
  const budget = {
    requests: number("--budget-requests", values["budget-requests"]),
    tokens: number("--budget-tokens", values["budget-tokens"]),
    dollars: number("--budget-dollars", values["budget-dollars"]),
  };
  const inDollars = number("--price-in", values["price-in"]);
  const outDollars = number("--price-out", values["price-out"]);
  const prices = inDollars === undefined || outDollars === undefined ? undefined : { inDollars, outDollars };
  const chat = isLive && env.PROVIDER === "chat" ? chatSettings(env) : undefined;
  if (isLive && !chat && !apiKey) throw new Error("--live needs the key of the provider in GEMINI_API_KEY.");
  if (isLive && Object.values(budget).every((limit) => limit === undefined)) {
    throw new Error("--live needs a budget: --budget-requests, --budget-tokens or --budget-dollars.");
  }
  if (budget.dollars !== undefined && !prices) throw new Error("--budget-dollars needs --price-in and --price-out.");
  if (url !== undefined && !URL.canParse(url)) throw new Error(`--provider-url takes an address, not ${url}.`);
  const providerUrl = url ?? chat?.CHAT_BASE_URL ?? (isLive ? gemini : undefined);
  const suite = readSuiteOptions(values);
  const live = join(repositoryRoot, ".local", "quality", `live-${half}.jsonl`);
  const isOwn = values.cases !== undefined || suite !== undefined;
  const ran = halves.filter((each) => seeds.some((seed) => halfOf(seed) === each));
  return {
    ...{ seeds, budget, prices, suite, isLaboratory: values.laboratory },
    casesIn: values.cases === undefined ? undefined : resolve(values.cases),
    modes: suite
      ? [suite.answers === undefined ? "honest" : replayMode]
      : chosen("--modes", values.modes, Object.keys(modes)),
    columns: chosenColumns(values.columns ?? (suite && "second look")),
    provider:
      providerUrl === undefined ? undefined : { url: providerUrl, apiKey: apiKey || "quality", ...(chat && { chat }) },
    resultsFile: results === undefined ? (isLive ? live : undefined) : resolve(results),
    out: out === undefined ? undefined : resolve(out),
    workers: number("--workers", values.workers, { min: 1, max: 32 }),
    facts: {
      provider: chat
        ? `${chat.CHAT_MODEL} at a server of chat completions`
        : isLive
          ? "Gemini"
          : (url ?? "the emulator of this repository"),
      ...{ isLive, seeds: isOwn ? [] : seeds, prices, budget: budgetText(budget) },
      halves: suite?.name ?? (isOwn ? "own cases" : ran.map((each) => `${each} half`).join(" and ")),
    },
  };
}

type SuiteFlags = { [Name in "suite" | "annotations" | "videos" | "answers" | "limit"]?: string | undefined } & {
  "max-seconds": string;
};

function readSuiteOptions({ suite, annotations, videos, answers, limit, "max-seconds": most }: SuiteFlags) {
  if (suite === undefined) {
    const alone = Object.entries({ annotations, videos, answers, limit }).find(([, value]) => value !== undefined);
    if (alone) throw new Error(`--${alone[0]} needs --suite.`);
    return undefined;
  }
  if (annotations === undefined) throw new Error("--suite needs --annotations, the file of its questions.");
  return {
    name: oneOf("--suite", suite, suiteNames),
    annotations: resolve(annotations),
    videos: videos === undefined ? undefined : resolve(videos),
    answers: answers === undefined ? undefined : resolve(answers),
    limit: limit === undefined ? undefined : numberOption("--limit", limit, { min: 1, max: 100_000 }),
    mostMs: 1000 * numberOption("--max-seconds", most, { min: 1, max: 86_400 }),
  };
}

/** The options of a run. */
export type Options = NonNullable<ReturnType<typeof readOptions>>;

type Bounds = Parameters<typeof numberOption>[2];

function chatSettings(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith("CHAT_") && value);
  const settings = Object.fromEntries(given) as Record<string, string>;
  if (!settings.CHAT_BASE_URL || !settings.CHAT_MODEL)
    throw new Error("--live with PROVIDER=chat needs CHAT_BASE_URL and CHAT_MODEL.");
  return { PROVIDER: "chat", ...settings };
}

function budgetText({ requests, tokens, dollars }: Budget): string {
  const limits = Object.entries({ requests, tokens, dollars }).filter(([, limit]) => limit !== undefined);
  return limits.map(([name, limit]) => `${limit} ${name}`).join(", ") || "no limit";
}

function chosenColumns(text: string | undefined): Column[] {
  const all = columns.map(({ name }) => name);
  const names = chosen("--columns", text, all);
  const [first] = columns;
  // The other columns are compared with the first one.
  const withFirst = columns.filter((column) => column === first || names.includes(column.name));
  return text === undefined ? withFirst : withFirst.map((column) => ({ ...column, modes: undefined }));
}

function chosen(option: string, text: string | undefined, all: readonly string[]): string[] {
  if (text === undefined) return [...all];
  return text.split(",").map((name) => oneOf(option, name.trim(), all));
}

function oneOf<const T extends string>(option: string, text: string, all: readonly T[]): T {
  const found = all.find((each) => each === text);
  if (found === undefined) throw new Error(`${option} takes ${all.join(", ")}, not ${text}.`);
  return found;
}

/** The halves of the seeds. The blinded half is not looked at while the service is changed. */
const halves = ["open", "blinded"] as const;
type Half = (typeof halves)[number];

/** Returns the half that a seed belongs to, by the first bit of a hash. */
export function halfOf(seed: number): Half {
  const digest = createHash("sha256").update(`video-to-json quality ${seed}`).digest();
  return (digest[0] as number) < 128 ? "open" : "blinded";
}

/** Returns the first `count` seeds of a half, from 1 on. */
export function firstSeeds(half: Half, count: number): number[] {
  const seeds: number[] = [];
  for (let seed = 1; seeds.length < count; seed++) if (halfOf(seed) === half) seeds.push(seed);
  return seeds;
}

const maxSeeds = 10_000;
const maxSeed = 2 ** 31 - 1;

/** Reads seeds such as `7`, `1-20` or `3,9,100-104`. Throws when the text has another form. */
export function readSeeds(text: string): number[] {
  const seeds = text.split(",").flatMap((part) => {
    const range = /^\s*(\d{1,10})(?:\s*-\s*(\d{1,10}))?\s*$/.exec(part);
    const from = Number(range?.[1]);
    const to = Number(range?.[2] ?? range?.[1]);
    if (!range || to < from || to > maxSeed || to - from >= maxSeeds) {
      throw new Error(`--seeds takes numbers and ranges such as 1-20 or 3,9, not ${text}.`);
    }
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return [...new Set(seeds)];
}
