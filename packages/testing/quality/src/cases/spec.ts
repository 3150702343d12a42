/**
 * A field of an item or of the whole answer that is not a time: its key, its type and its description in the schema.
 */
export type ValueField = {
  key: string;
  type: "string" | "integer" | "number" | "boolean" | readonly string[];
  about: string;
  optional?: boolean;
};

/** A list of events of one label: the keys of their times and their other fields. */
export type ListSpec = {
  key: string;
  label: string;
  /** The keys of the times. An item without an end is a point in time. */
  startKey: string;
  endKey: string | null;
  about: string;
  fields: readonly ValueField[];
};

/** A time outside of lists: the start or the end of the first or the last event of a label. */
export type MomentSpec = { key: string; label: string; nth: "first" | "last"; edge: "start" | "end"; about: string };

/** The contents of a schema. A label without an event never happens: its list is empty and its times are left out. */
export type Spec = {
  values: readonly ValueField[];
  moments: readonly MomentSpec[];
  lists: readonly ListSpec[];
};

/** Returns a spec as a sketch. */
export function writeSketch({ values, moments, lists }: Spec): Record<string, unknown> {
  return Object.fromEntries([
    ...values.map(sketchField),
    ...moments.map(({ key, about }) => [`${key}?`, `timestamp — ${about}`]),
    ...lists.map((list) => [list.key, [Object.fromEntries([...sketchTimes(list), ...list.fields.map(sketchField)])]]),
  ]);
}

function sketchField({ key, type, about, optional }: ValueField): [string, string] {
  const word = typeof type === "string" ? type : type.join("|");
  return [optional ? `${key}?` : key, `${word} — ${about}`];
}

function sketchTimes({ startKey, endKey, about }: ListSpec): [string, string][] {
  const start: [string, string] = [startKey, `timestamp — ${about}`];
  return endKey === null ? [start] : [start, [endKey, "timestamp — when it is over"]];
}

/** Returns a spec as a JSON Schema. */
export function writeJsonSchema({ values, moments, lists }: Spec): Record<string, unknown> {
  const properties = [
    ...values.map(jsonField),
    ...moments.map(({ key, about }: MomentSpec) => ({ key, node: time(about), optional: true })),
    ...lists.map((list) => ({ key: list.key, node: { type: "array", items: itemSchema(list) }, optional: false })),
  ];
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...objectOf(properties) };
}

type Property = { key: string; node: object; optional: boolean };

function objectOf(properties: readonly Property[]): Record<string, unknown> {
  return {
    type: "object",
    properties: Object.fromEntries(properties.map(({ key, node }) => [key, node])),
    required: properties.filter(({ optional }) => !optional).map(({ key }) => key),
    additionalProperties: false,
  };
}

function itemSchema({ startKey, endKey, about, fields }: ListSpec): object {
  const end = endKey === null ? [] : [{ key: endKey, node: time("when it is over"), optional: false }];
  return objectOf([{ key: startKey, node: time(about), optional: false }, ...end, ...fields.map(jsonField)]);
}

function jsonField({ key, type, about, optional = false }: ValueField): Property {
  const form = typeof type === "string" ? { type } : { type: "string", enum: type };
  return { key, node: { ...form, description: about }, optional };
}

function time(about: string): object {
  return { type: "string", pattern: "^[0-9]{2}:[0-5][0-9]$", description: `MM:SS, ${about}` };
}
