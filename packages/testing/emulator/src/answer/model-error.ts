import { isJsonObject } from "@video-to-json/contract";

/** The ways in which the emulated model errs (README, "A model that errs"). */
const kinds = ["edges", "minute", "short-list", "repeat", "invent", "misread"] as const;

/** One way in which the model errs about whole videos. The README describes the members. */
export type ModelError = {
  kind: (typeof kinds)[number];
  seed: number;
  probability: number;
  /** For `edges`: the smallest and the largest shift. */
  minMs: number;
  maxMs: number;
  /** For `short-list`: the items of the longest list. */
  items: number;
};

/** Reads `{"errors": […]}` or a list. Throws a RangeError that names the invalid member. */
export function readModelErrors(value: unknown): ModelError[] {
  const list = isJsonObject(value) ? value.errors : value;
  if (!Array.isArray(list)) throw new RangeError("errors must be a list.");
  return list.map((entry, index) => readError(entry, `errors[${index}]`));
}

function readError(entry: unknown, at: string): ModelError {
  if (!isJsonObject(entry)) throw new RangeError(`${at} must be an object.`);
  const { kind, ...members } = entry;
  const known = kinds.find((each) => each === kind);
  if (!known) throw new RangeError(`${at}.kind must be one of ${kinds.join(", ")}.`);
  const read = { ...defaults };
  for (const [name, given] of Object.entries(members)) {
    if (!Object.hasOwn(defaults, name)) throw new RangeError(`${at}.${name} is unknown.`);
    if (typeof given !== "number" || !(given >= 0) || (name === "probability" && given > 1)) {
      throw new RangeError(`${at}.${name} must be a number, not negative${name === "probability" ? ", up to 1" : ""}.`);
    }
    read[name as keyof typeof defaults] = given;
  }
  if (read.minMs > read.maxMs) throw new RangeError(`${at}.minMs must not be larger than maxMs.`);
  return { kind: known, ...read };
}

const defaults = { seed: 1, probability: 0.5, minMs: 1000, maxMs: 10_000, items: 10 };
