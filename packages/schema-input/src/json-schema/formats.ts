import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";

/** The formats that are enforced, by name; any other is ignored (docs/decisions/0001, "Schema input"). */
export const formats: ReadonlyMap<string, Format> = new Map(Object.entries(fullFormats));
