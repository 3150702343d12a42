/** Fields that are not times, in the notation of sketches: `"speaker?": "string — the name, if it is shown"`. */
type Fields = Readonly<Record<string, string>>;

/** A list of events of one label. An item has the times `start end`, or only `at`. */
type ListSpec = { label: string; times: string; about: string; fields: Fields };

/** A moment is a time outside of lists: `first start of alarm — …`. A label without an event never happens. */
export type Spec = {
  values: Fields;
  moments: Readonly<Record<string, string>>;
  lists: Readonly<Record<string, ListSpec>>;
};

/** Returns a key without the question mark that makes it optional. */
export function plainKey(key: string): string {
  return key.replace(/\?$/, "");
}

/** Reads a moment: the first or the last event of a label, its start or its end, and the description. */
export function readMoment(text: string) {
  const [, nth, edge, label = "", about = ""] = /^(first|last) (start|end) of (.*?) — (.*)$/.exec(text) ?? [];
  return { isFirst: nth === "first", isStart: edge === "start", label, about };
}

/** Returns a spec as a sketch. */
export function writeSketch({ values, moments, lists }: Spec): Record<string, unknown> {
  return properties({ values, moments, lists }, (about) => `timestamp — ${about}`, {
    field: (text) => text,
    list: (item) => [item],
  });
}

/** Returns a spec as a JSON Schema. */
export function writeJsonSchema(spec: Spec): Record<string, unknown> {
  const all = properties(spec, (about) => time(`MM:SS, ${about}`), {
    field: jsonField,
    list: (item) => ({ type: "array", items: objectOf(item) }),
  });
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...objectOf(all) };
}

type Properties = Record<string, unknown>;
type Notation = { field(text: string): unknown; list(item: Properties): unknown };

function properties(
  { values, moments, lists }: Spec,
  timeOf: (about: string) => unknown,
  { field, list }: Notation,
): Properties {
  const fieldsOf = (fields: Fields) => Object.entries(fields).map(([key, text]) => [key, field(text)] as const);
  return Object.fromEntries([
    ...fieldsOf(values),
    ...Object.entries(moments).map(([key, text]) => [`${key}?`, timeOf(readMoment(text).about)] as const),
    ...Object.entries(lists).map(([key, { times, about, fields }]) => {
      const [start = "", end] = times.split(" ");
      const ends = end === undefined ? {} : { [end]: timeOf("when it is over") };
      return [key, list({ [start]: timeOf(about), ...ends, ...Object.fromEntries(fieldsOf(fields)) })] as const;
    }),
  ]);
}

function objectOf(all: Properties): Properties {
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(all).map(([key, schema]) => [plainKey(key), schema])),
    required: Object.keys(all).filter((key) => !key.endsWith("?")),
    additionalProperties: false,
  };
}

function jsonField(text: string): object {
  const [, type = "", description] = /^(.*?) — (.*)$/.exec(text) ?? [];
  return { ...(type.includes("|") ? { type: "string", enum: type.split("|") } : { type }), description };
}

function time(description: string): object {
  return { type: "string", pattern: "^[0-9]{2}:[0-5][0-9]$", description };
}
