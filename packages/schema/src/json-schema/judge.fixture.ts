import { toExactValue } from "../json/json-value.ts";
import { readJson } from "../json/read-json.ts";
import { createSchemaReader } from "./schema-reader.ts";
import { compileValidator } from "./validator.ts";
import { violationText } from "./violation.ts";
import { violationsOf } from "./violations.ts";

const reader = createSchemaReader();
const read = (text: string) => readJson(text, { maxDepth: 100, maxValues: 100_000 });
const text = (value: string | object) => (typeof value === "string" ? value : JSON.stringify(value));

/** Returns the violations of an answer. Throws the errors of an invalid schema. */
export function violations(schema: string | object, answer: string): string[] {
  const reading = reader.read(read(text(schema)));
  if ("errors" in reading) throw new Error(reading.errors.join("\n"));
  return violationsOf(compileValidator(reading.linked)(toExactValue(read(answer)))).map(violationText);
}
export const conforms = (schema: string | object, answer: string) => violations(schema, answer).length === 0;
export const errors = (schema: string | object) => {
  const reading = reader.read(read(text(schema)));
  return "errors" in reading ? reading.errors : [];
};
export const draft = (name: string, schema: object) => ({
  $schema: `http://json-schema.org/${name}/schema#`,
  ...schema,
});
