import type { Random } from "@video-to-json/testing/running";
import {
  type Call,
  type ChaosAccount,
  type Drop,
  type EntryPoint,
  type Extra,
  mcpVersions,
  type WantedShape,
} from "./call.ts";
import type { ChaosVideo } from "./videos.ts";

const color = { enum: ["red", "green", "blue", "white", "black"] };
const moment = { type: "string", pattern: "^[0-5][0-9]:[0-5][0-9]$" };

function strict(properties: Record<string, unknown>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

const jsonSchema = strict({ scene_count: { type: "integer", minimum: 0 }, dominant: { type: "string", minLength: 1 } });

/** Sketches and JSON Schemas, small and nested. */
export const shapes: readonly WantedShape[] = [
  {
    name: "options",
    schemaText: '{"main_color":"red|green|blue|white|black"}',
    asks: strict({ main_color: color }),
  },
  {
    name: "events",
    schemaText:
      '{"title":"string — what is seen","events":[{"at":"timestamp","what":"string","loud?":"boolean"}],"9":0,"share":0.0}',
    asks: strict({
      title: { type: "string" },
      events: {
        type: "array",
        items: strict({ at: moment, what: { type: "string" }, loud: { type: "boolean" } }, ["loud"]),
      },
      "9": { type: "integer" },
      share: { type: "number" },
    }),
  },
  {
    name: "spacious",
    schemaText: '{ "a  title" : "string — what\\tis seen",\r\n\t"count": 0 ,"share":0.50}',
    compactText: '{"a  title":"string — what\\tis seen","count":0,"share":0.50}',
    asks: strict({ "a  title": { type: "string" }, count: { type: "integer" }, share: { type: "number" } }),
  },
  { name: "json-schema", schemaText: JSON.stringify(jsonSchema), asks: jsonSchema },
  {
    name: "draft-07",
    schemaText: JSON.stringify({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { moment },
      type: "object",
      properties: { start: { $ref: "#/definitions/moment" }, colors: { type: "array", items: color, maxItems: 5 } },
      required: ["start", "colors"],
    }),
    asks: {
      type: "object",
      properties: { start: moment, colors: { type: "array", items: color, maxItems: 5 } },
      required: ["start", "colors"],
    },
  },
];

/** Chooses what a client calls next. `marker` must be new. */
export function newCall(random: Random, account: ChaosAccount, videos: readonly ChaosVideo[], marker: string): Call {
  const entryPoint = random.one<EntryPoint>(["upload", "upload", "url", "mcp", "mcp"]);
  const video = random.one(videos);
  const manner = random.one(["", "", "", "", "", "/slow", "/slow", "/cut"]);
  const size = random.one([1, 1, 2, 3]);
  return {
    marker,
    account,
    entryPoint,
    video,
    urlPath: random.chance(0.03) ? "/missing" : `${manner}/${video.name}`,
    shape: random.one(shapes),
    extras: (["extract-evidence", "second-look"] as Extra[]).filter(() => random.chance(0.25)),
    idempotencyKey: entryPoint !== "mcp" && random.chance(0.6) ? `key of ${marker}` : undefined,
    ...(entryPoint === "mcp" && { mcpVersions: versions(random, size) }),
    attempts: [],
  };
}

/** Returns the version of each of a number of identical calls. Most are of one version, so that all may cancel. */
function versions(random: Random, size: number) {
  const own = random.chance(0.6) ? "2026-07-28" : random.one(mcpVersions);
  return Array.from({ length: size }, () => (random.chance(0.15) ? random.one(mcpVersions) : own));
}

/** Chooses whether and when the client of a request closes the connection. Calls that share a job often do. */
export function dropOf(random: Random, { entryPoint, mcpVersions: { length: together } = [] }: Call): Drop {
  const roll = random.whole(1, 100);
  if (roll <= (together > 1 ? 40 : 6)) return "mid-wait";
  return roll <= 10 && entryPoint === "upload" ? "mid-upload" : undefined;
}
