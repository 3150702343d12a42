import { invalidArgument } from "../../protocol/api-error.ts";

/** A `responseSchema`: Gemini's subset of OpenAPI. */
export type OpenApiSchema = {
  type?: string;
  format?: string;
  nullable?: boolean;
  enum?: string[];
  items?: OpenApiSchema;
  properties?: Map<string, OpenApiSchema>;
  required?: string[];
  anyOf?: OpenApiSchema[];
  [keyword: string]: unknown;
};

/** Returns the JSON Schema with the same meaning. Throws Gemini's refusal of an invalid responseSchema. */
export function openApiToJsonSchema(schema: OpenApiSchema): Record<string, unknown> {
  const errors: string[] = [];
  const converted = convert(schema, "GenerateContentRequest.generation_config.response_schema", errors);
  if (errors.length > 0) throw invalidArgument(errors.map((error) => `* ${error}\n`).join(""));
  return converted;
}

const formats: Readonly<Record<string, readonly string[]>> = {
  STRING: ["enum", "date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"],
};

function convert(schema: OpenApiSchema, at: string, errors: string[]): Record<string, unknown> {
  const { type, nullable, properties, items, anyOf, format, ...rest } = schema;
  checkNode(schema, at, errors);
  const converted: Record<string, unknown> = { ...rest };
  if (format !== undefined && format !== "enum") converted.format = format;
  if (type !== undefined && type !== "TYPE_UNSPECIFIED") {
    const name = type.toLowerCase();
    converted.type = nullable ? [name, "null"] : name;
  }
  if (properties) {
    const entries = [...properties].map(([name, inside]) => [
      name,
      convert(inside, `${at}.properties[${name}]`, errors),
    ]);
    converted.properties = Object.fromEntries(entries);
    converted.propertyOrdering ??= [...properties.keys()];
  }
  if (items) converted.items = convert(items, `${at}.items`, errors);
  if (anyOf) {
    converted.anyOf = [
      ...anyOf.map((inside, index) => convert(inside, `${at}.any_of[${index}]`, errors)),
      ...(nullable ? [{ type: "null" }] : []),
    ];
  }
  return converted;
}

function checkNode(schema: OpenApiSchema, at: string, errors: string[]): void {
  const { type = "TYPE_UNSPECIFIED", format, properties, items, required = [], anyOf } = schema;
  if (type === "TYPE_UNSPECIFIED" && !anyOf) errors.push(`${at}.type: must be specified`);
  if (type === "OBJECT" && (properties?.size ?? 0) === 0) {
    errors.push(`${at}.properties: should be non-empty for OBJECT type`);
  }
  if (type === "ARRAY" && !items) errors.push(`${at}.items: missing field.`);
  if (schema.enum && type !== "STRING") errors.push(`${at}.enum: only allowed for STRING type`);
  if (schema.enum?.some((option) => option === "")) errors.push(`${at}.enum: cannot be empty`);
  const allowed = formats[type] ?? [];
  if (format !== undefined && format !== "" && !allowed.includes(format)) {
    const named = allowed.map((name) => `'${name}'`).join(" and ");
    errors.push(
      `${at}.format: ${allowed.length > 0 ? `only ${named} are supported` : "not supported"} for ${type} type`,
    );
  }
  for (const [index, name] of required.entries()) {
    if (!properties?.has(name)) errors.push(`${at}.required[${index}]: property is not defined`);
  }
}
