import { languages } from "@video-to-json/contract/languages";
import type { JsonNode } from "../json/read-json.ts";
import { stringNode, writeJson } from "../json/write-json.ts";

/** A container around a time: its key, or that of the list that contains it, and its object once it is known. */
export type Enclosing = {
  key?: string;
  description?: string;
  isItem?: boolean;
  node?: Extract<JsonNode, { kind: "object" }>;
  /** The keys of the object whose values are times. */
  times?: ReadonlySet<string>;
};

type Described = { key: string; description: string };

const maxTextLength = 160;
const maxObjectLength = 600;
const maxListItems = 5;
const maxDescriptionLength = 400;
/** More than is left of a text that has many times. */
const maxSearched = 2_000;

/**
 * Returns a description of what happens at a time, or between two: the keys that lead to it, their meaning, and what
 * else the answer says about it. It never contains a time, so that it does not reveal the answer's claim.
 */
export function describeClaim(leaves: readonly Described[], enclosing: readonly Enclosing[]): string {
  const sentences = enclosing.flatMap((container, index) =>
    describeContainer(container, index === enclosing.length - 1),
  );
  const [leaf, end] = leaves;
  if (leaf?.key && end?.key) sentences.push(`It lasts from "${leaf.key}" to "${end.key}".`);
  else if (leaf?.key) sentences.push(`The time asked for is "${leaf.key}".`);
  for (const { key, description } of leaves) {
    if (description !== "")
      sentences.push(`${key === "" ? "It" : `"${key}"`} means: ${cut(hideTimes(description), maxDescriptionLength)}.`);
  }
  return sentences.join(" ").replaceAll("..", ".");
}

function describeContainer({ key = "", description = "", isItem, node, times }: Enclosing, isLast: boolean): string[] {
  if (key === "") return [];
  const means = description === "" ? "" : ` (${cut(hideTimes(description), maxDescriptionLength)})`;
  const facts = node && writeFacts(node, times ?? new Set(), isLast);
  const says = facts && facts !== "{}" ? ` that says ${facts}` : "";
  return [isItem ? `An item of "${key}"${means}${says}.` : `"${key}"${means}${says}.`];
}

/** Returns an object without its times, and without nested values unless it is the innermost one. */
function writeFacts(node: Extract<JsonNode, { kind: "object" }>, times: ReadonlySet<string>, isLast: boolean): string {
  const members = node.members
    .filter(({ key, value }) => !times.has(key) && (isScalar(value) || (isLast && value.kind === "array")))
    .flatMap((member) => {
      const value = shorten(member.value);
      return value ? [{ ...member, value }] : [];
    });
  let text = writeJson({ kind: "object", members });
  while (text.length > maxObjectLength && members.length > 0) {
    members.pop();
    text = writeJson({ kind: "object", members });
  }
  return text;
}

function shorten(node: JsonNode): JsonNode | undefined {
  if (node.kind === "string") {
    const text = cut(hideTimes(node.value), maxTextLength);
    return text === "" ? undefined : stringNode(text);
  }
  if (node.kind === "array") {
    const items = node.items.filter(isScalar).slice(0, maxListItems);
    const kept = items.flatMap((item) => shorten(item) ?? []);
    return kept.length > 0 ? { kind: "array", items: kept } : undefined;
  }
  return node.kind === "null" ? undefined : node;
}

function isScalar({ kind }: JsonNode): boolean {
  return kind !== "object" && kind !== "array";
}

/** Removes everything that looks like a position in the video. */
function hideTimes(text: string): string {
  return text
    .slice(0, maxSearched)
    .replace(/(?<![\p{Nd}:])\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?(?:[.,]\p{Nd}+)?(?![\p{Nd}:])/gu, "…")
    .replace(lengthOfTime(), "…")
    .trim();
}

/** Matches a number of seconds, minutes or hours, with the words that ICU has for them. */
function createLengthOfTime(): RegExp {
  const words = languages.flatMap((language) =>
    (["second", "minute", "hour"] as const).flatMap((unit) =>
      (["long", "short"] as const).flatMap((unitDisplay) => {
        const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay });
        return [1, 2, 5, 10].flatMap((count) => format.formatToParts(count).filter(({ type }) => type === "unit"));
      }),
    ),
  );
  const known = new Set(["s", "ms", ...words.map(({ value }) => value.replace(/[.\u200e\u200f]/g, "").trim())]);
  const longestFirst = [...known]
    .filter((word) => /^\p{L}[\p{L}\p{M}׳॰ ]*$/u.test(word))
    .sort((a, b) => b.length - a.length);
  return new RegExp(
    `\\p{Nd}+(?:[.,]\\p{Nd}+)?[- \u00a0\u202f]?(?:de )?(?:${longestFirst.join("|")})(?![\\p{Lu}\\p{Ll}\\p{M}])`,
    "giu",
  );
}

/** The words of all languages take a tenth of a second, so only the first description waits for them. */
const lengthOfTime = (() => {
  let created: RegExp | undefined;
  return () => (created ??= createLengthOfTime());
})();

function cut(text: string, length: number): string {
  const plain = text.replace(/\.$/, "");
  return plain.length <= length ? plain : `${plain.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
