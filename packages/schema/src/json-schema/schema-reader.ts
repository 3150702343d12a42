import { jsonSchemaKeys } from "@video-to-json/contract/sketch-language/words";
import { type ExactValue, type JsonObject, toExactValue } from "../json/json-value.ts";
import type { JsonNode } from "../json/read-json.ts";
import { link } from "./link.ts";
import { knownKeywords, knownSchema, metaschema } from "./metaschemas.ts";
import { type Dialect, dialects, LinkError, type LinkedSchema, readDialect } from "./plain-schema.ts";
import { schemaFaults } from "./schema-faults.ts";
import { compileValidator, type Validator } from "./validator.ts";

/** A JSON Schema with its references resolved, or the reasons why it is invalid: `<JSON pointer>: <reason>` each. */
type SchemaReading = { linked: LinkedSchema } | { errors: string[] };

/** Reads JSON Schemas. It keeps the compiled metaschemas, and no schema of a caller. */
export type SchemaReader = {
  /** Checks a schema against its metaschema and links it. */
  read(node: JsonNode): SchemaReading;
  /** Links a schema that `read` has accepted before. */
  relink(node: JsonNode): LinkedSchema;
};

/** Creates a reader of JSON Schemas of every dialect (docs/decisions/0001, "Schema input"). */
export function createSchemaReader(): SchemaReader {
  const metaschemas = new Map<Dialect, Validator>();

  return {
    read(node) {
      const { root, exact, dialect } = open(node);
      if (!dialect) {
        return { errors: [`/$schema: is not a supported dialect; use one of ${dialects.join(", ")}`] };
      }
      const faults = schemaFaults({ validatorOf: metaschemaOf, known: knownSchema }, { root, dialect, exact });
      if (faults.length > 0) return { errors: withHint(faults, root) };
      try {
        return { linked: link({ root, dialect, exact }, knownSchema) };
      } catch (error) {
        if (error instanceof LinkError) return { errors: [error.message] };
        throw error;
      }
    },
    relink(node) {
      const { root, exact, dialect = "2020-12" } = open(node);
      return link({ root, dialect, exact }, knownSchema);
    },
  };

  function metaschemaOf(dialect: Dialect): Validator {
    const root = metaschema(dialect);
    // The formats of the metaschemas are not enforced: many usable schemas have an `$id` that is not a URI.
    const validator =
      metaschemas.get(dialect) ?? compileValidator(link({ root, dialect, exact: inexact }, knownSchema), new Map());
    metaschemas.set(dialect, validator);
    return validator;
  }
}

const inexact: ExactValue = { value: null, literal: (container, key) => String((container as JsonObject)[key]) };

function open(node: JsonNode): { root: JsonObject; exact: ExactValue; dialect: Dialect | undefined } {
  const exact = toExactValue(node);
  const root = exact.value as JsonObject;
  return { root, exact, dialect: root.$schema === undefined ? "2020-12" : readDialect(root.$schema) };
}

/** Adds to the first fault how the input was read, unless the input is clearly no attempt at a sketch. */
function withHint([first = "", ...more]: string[], root: JsonObject): string[] {
  const keyword = jsonSchemaKeys.find((key) => Object.hasOwn(root, key));
  const known = knownKeywords();
  const isPlain = /^\/type(?:\/\d+)?: write /.test(first) && Object.keys(root).every((key) => known.has(key));
  if (root.$schema !== undefined || keyword === undefined || isPlain) return [first, ...more];
  const hint = `the root has \`${keyword}\`, so this was read as JSON Schema 2020-12: name another dialect in \`$schema\`, or put a sketch one level deeper`;
  return [`${first}; ${hint}`, ...more];
}
