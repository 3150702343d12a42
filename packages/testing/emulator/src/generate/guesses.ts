import { isJsonObject } from "@video-to-json/contract";
import { refusal } from "../protocol/exchange.ts";
import { type GenerateRequest, partsOf, subschemas } from "./generate-request.ts";

/** What Google answered to a case of the contract (`./scripts/provider-contract --live`). */
export type Recorded = { status: number; code?: string; message?: string };

/** What nobody has tried with Google: it may refuse such a question or answer it. `sample` is a part of one. */
type Guess = { matches(request: GenerateRequest): boolean; sample: { config?: object; part?: object } };

type Node = Record<string, unknown>;

/** Of a schema: whether any of its subschemas fits. */
function schemaGuess(fits: (node: unknown) => boolean, responseJsonSchema: object): Guess {
  const anyFits = (node: unknown): boolean =>
    fits(node) || (isJsonObject(node) && subschemas(node).some(([, inside]) => anyFits(inside)));
  return {
    matches: ({ schema }) => schema !== undefined && anyFits(schema),
    sample: { config: { responseJsonSchema } },
  };
}

const of = (fits: (node: Node) => boolean) => (node: unknown) => isJsonObject(node) && fits(node);
const objectOf = (a: object) => ({ type: "object", properties: { a }, required: ["a"] });
const nested = (depth: number): object => (depth === 0 ? { type: "string" } : objectOf(nested(depth - 1)));
const deeper = (node: unknown, depth: number): boolean =>
  depth === 0 || (isJsonObject(node) && subschemas(node).some(([, inside]) => deeper(inside, depth - 1)));
const many = (count: number) => Array.from({ length: count }, (_, index) => `value number ${index}`);
const countOf = (node: unknown): number =>
  isJsonObject(node) ? subschemas(node).reduce((sum, [, inside]) => sum + countOf(inside), 1) : 1;
const sizes = { depth: 8, enumValues: 60, enumBytes: 2048, schemaBytes: 16_384, subschemas: 500 };

/**
 * The doubts, by name. The emulator usually takes such questions; with `--strict` it refuses them in the words that
 * Google uses for most refusals. The recorded reply of Google, once there is one, replaces the guess.
 */
export const guesses: Readonly<Record<string, Guess>> = {
  "nullable-structure": schemaGuess(
    of(({ type }) => Array.isArray(type) && (type.length > 2 || type.includes("object") || type.includes("array"))),
    objectOf({ type: ["object", "null"], properties: { b: { type: "string" } } }),
  ),
  "empty-schema": schemaGuess(
    (node) => node === true || (isJsonObject(node) && Object.keys(node).length === 0),
    objectOf({}),
  ),
  "open-object": schemaGuess(
    of(({ type, properties }) => type === "object" && Object.keys(properties ?? {}).length === 0),
    objectOf({ type: "object" }),
  ),
  "open-array": schemaGuess(
    of(({ type, items, prefixItems }) => type === "array" && !items && !prefixItems),
    objectOf({ type: "array" }),
  ),
  "empty-name": schemaGuess(
    of(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, "")),
    { type: "object", properties: { "": { type: "string" } } },
  ),
  "array-bounds": schemaGuess(
    of(({ minItems, maxItems }) => minItems !== undefined || maxItems !== undefined),
    objectOf({ type: "array", items: { type: "string" }, maxItems: 100 }),
  ),
  "large-enum": schemaGuess(
    of(({ enum: values = [] }) => isLarge(values)),
    objectOf({ type: "string", enum: many(190) }),
  ),
  "deep-schema": schemaGuess(
    of((node) => deeper(node, sizes.depth + 1)),
    nested(12),
  ),
  "large-schema": {
    matches: ({ schema = {} }) =>
      JSON.stringify(schema).length > sizes.schemaBytes || countOf(schema) > sizes.subschemas,
    sample: {
      config: {
        responseJsonSchema: {
          type: "object",
          properties: Object.fromEntries(many(550).map((name) => [name, { type: "string" }])),
        },
      },
    },
  },
  sampling: {
    matches: ({ config, model }) =>
      model.generation === "3" && [config.temperature, config.topP, config.topK].some((value) => value !== undefined),
    sample: { config: { temperature: 0.2 } },
  },
  "agentic-video": {
    matches: ({ contents }) => partsOf(contents).some(({ mediaProcessing }) => mediaProcessing !== undefined),
    sample: { part: { mediaProcessing: "AGENTIC" } },
  },
};

function isLarge(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  return values.length > sizes.enumValues || JSON.stringify(values).length > sizes.enumBytes;
}

/** Throws if Google refused such a question when it was asked, or if nobody asked it and the emulator is strict. */
export function checkGuesses(
  request: GenerateRequest,
  { strict, recorded }: { strict: boolean; recorded: Readonly<Record<string, Recorded>> },
): void {
  for (const [name, { matches }] of Object.entries(guesses)) {
    const { status, code, message } = recorded[name] ?? { status: strict ? 400 : 200 };
    if (status >= 400 && matches(request))
      throw refusal(status, code ?? "INVALID_ARGUMENT", message ?? "Request contains an invalid argument.");
  }
}
