import { type RawMember, readMembers } from "@video-to-json/schema";

/** A field of the answer to a sketch: its JSON pointer, its type in words, and whether it is optional. */
type Field = { pointer: string; type: string; optional: boolean };

/** Lists the fields that the JSON Schema of a sketch enforces, in the sketch's order. `*` is any array element. */
export function outline(schemaText: string): Field[] {
  return fieldsOf(readMembers(schemaText), "");
}

function fieldsOf(schema: Map<string, RawMember>, pointer: string): Field[] {
  const required = new Set(schema.get("required")?.value as string[]);
  const properties = readMembers(schema.get("properties")?.raw ?? "{}");
  return [...properties].flatMap(([name, { raw }]) => {
    const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return fieldOf(readMembers(raw), at, !required.has(name));
  });
}

function fieldOf(schema: Map<string, RawMember>, pointer: string, optional: boolean): Field[] {
  const type = String(schema.get("type")?.value);
  const field = { pointer, type: describe(type, schema), optional };
  if (type === "object") return [field, ...fieldsOf(schema, pointer)];
  if (type === "array")
    return [field, ...fieldOf(readMembers(schema.get("items")?.raw ?? "{}"), `${pointer}/*`, false)];
  return [field];
}

function describe(type: string, schema: Map<string, RawMember>): string {
  const options = schema.get("enum")?.value;
  if (Array.isArray(options)) return `one of ${options.map((option) => JSON.stringify(option)).join(", ")}`;
  if (schema.has("pattern")) return "time MM:SS, within the video";
  if (type === "object") return "object with exactly these keys in this order";
  return type;
}
