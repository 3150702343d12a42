import { type RawMember, readMembers } from "@video-to-json/schema-input";

/** One place of the answer to a sketch: where it is, what stands there, and whether it must. */
export type Place = { pointer: string; what: string; optional: boolean };

/** What the JSON Schema of a sketch enforces, place by place, in the sketch's order. `*` is any element of an array. */
export function outline(schemaText: string): Place[] {
  return placesOf(readMembers(schemaText), "");
}

function placesOf(schema: Map<string, RawMember>, pointer: string): Place[] {
  const required = new Set(schema.get("required")?.value as string[]);
  const properties = readMembers(schema.get("properties")?.raw ?? "{}");
  return [...properties].flatMap(([name, { raw }]) => {
    const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return placeOf(readMembers(raw), at, !required.has(name));
  });
}

function placeOf(schema: Map<string, RawMember>, pointer: string, optional: boolean): Place[] {
  const type = String(schema.get("type")?.value);
  const place = { pointer, what: whatOf(type, schema), optional };
  if (type === "object") return [place, ...placesOf(schema, pointer)];
  if (type === "array")
    return [place, ...placeOf(readMembers(schema.get("items")?.raw ?? "{}"), `${pointer}/*`, false)];
  return [place];
}

function whatOf(type: string, schema: Map<string, RawMember>): string {
  const options = schema.get("enum")?.value;
  if (Array.isArray(options)) return `one of ${options.map((option) => JSON.stringify(option)).join(", ")}`;
  if (schema.has("pattern")) return "time MM:SS, within the video";
  if (type === "object") return "object, with these keys in this order and no others";
  return type;
}
