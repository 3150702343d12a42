import { isObject } from "../http/check-response.ts";

/**
 * The properties of a validation library's schema: Standard Schema and Standard JSON Schema.
 *
 * @see https://standardschema.dev/json-schema
 */
export type StandardProperties = {
  readonly vendor: string;
  readonly validate?: (value: unknown) => StandardResult | Promise<StandardResult>;
  readonly jsonSchema?: { input(options: { target: "draft-2020-12" }): Record<string, unknown> };
};

type StandardResult = { value: unknown; issues?: undefined } | { issues: readonly StandardIssue[] };

/** An issue that a validation library reports about a value. */
export type StandardIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** The type of the values that a validation library's schema returns; unknown if it does not say. */
export type StandardOutput<Properties> = Properties extends { readonly types?: infer Types }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** Returns the properties of a validation library's schema, or undefined for any other value. */
export function standardPropertiesOf(schema: unknown): StandardProperties | undefined {
  // ArkType's schemas are functions.
  if (!isObject(schema) && typeof schema !== "function") return undefined;
  const properties = (schema as { "~standard"?: unknown })["~standard"];
  return isObject(properties) ? (properties as unknown as StandardProperties) : undefined;
}

const dialect = "https://json-schema.org/draft/2020-12/schema";

/**
 * Returns the JSON Schema of the values that a validation library's schema accepts. Throws a TypeError if it has none.
 */
export function toJsonSchema({ vendor, jsonSchema }: StandardProperties): object {
  if (typeof jsonSchema?.input !== "function") {
    throw new TypeError(`schema is a ${vendor} schema without a JSON Schema form. ${adviceFor(vendor)}`);
  }
  try {
    // The service's answer is the input of the schema.
    return { $schema: dialect, ...jsonSchema.input({ target: "draft-2020-12" }) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`schema has no JSON Schema form: ${reason}. Replace that part of the ${vendor} schema.`, {
      cause,
    });
  }
}

function adviceFor(vendor: string): string {
  switch (vendor) {
    case "zod":
      return "Use Zod 4.2 or later. With Zod Mini or an older Zod 4, pass z.toJSONSchema(schema).";
    case "valibot":
      return "Pass toStandardJsonSchema(schema) of the package @valibot/to-json-schema.";
    case "arktype":
      return "Use ArkType 2.1.28 or later, or pass schema.toJsonSchema().";
    default:
      return "Convert it to JSON Schema and pass that.";
  }
}
