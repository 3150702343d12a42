/** A schema that clients send, and the JSON Schema for its answers, written independently of the service. */
export type WantedShape = {
  name: string;
  schemaText: string;
  /** The schema without white space between its tokens, if it has any. */
  compactText?: string;
  asks: Record<string, unknown>;
};

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
