import { type SketchType, typeOf } from "@video-to-json/contract/sketch-language/words";
import { shorten } from "../json/texts.ts";

const types = ["array", "boolean", "integer", "null", "number", "object", "string"];
const otherWords: Readonly<Record<string, string>> = { list: "array", dict: "object", map: "object", double: "number" };
const typeOfSketch: Readonly<Record<SketchType, string>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  timestamp: "string",
};

/** Returns why a value of `type` is wrong, starting with what to write instead. */
export function describeTypeFault(data: unknown): string {
  if (typeof data !== "string") return `must be one of ${types.map((type) => JSON.stringify(type)).join(", ")}`;
  const written = JSON.stringify(shorten(data, 60));
  if (data === "json_schema")
    return `send the value of \`schema\` in \`json_schema\` alone; ${written} is not a type of JSON Schema`;
  const instead = insteadOf(data.trim());
  return instead === undefined
    ? `must be one of ${types.map((type) => JSON.stringify(type)).join(", ")}; ${written} is not a type of JSON Schema`
    : `write ${instead}; ${written} is not a type of JSON Schema`;
}

function insteadOf(written: string): string | undefined {
  if (written.endsWith("?")) {
    const type = typeNear(written.slice(0, -1).trim());
    return type && `"${type}", and leave the key out of \`required\``;
  }
  if (written.endsWith("[]")) {
    const type = typeNear(written.slice(0, -2).trim());
    return type && `"array" with "items": {"type": "${type}"}`;
  }
  if (written.includes("|")) {
    const options = written.split("|").map((option) => option.trim());
    const named = options.map(typeNear);
    return named.every((type) => type !== undefined)
      ? JSON.stringify(named)
      : `"string" with "enum": ${shorten(JSON.stringify(options), 80)}`;
  }
  const type = typeNear(written);
  if (typeOf(written) === "timestamp") return '"string" with "pattern": "^[0-5][0-9]:[0-5][0-9]$"';
  return type && `"${type}"`;
}

function typeNear(written: string): string | undefined {
  const word = written.toLowerCase();
  const sketchType = typeOf(word);
  if (types.includes(word)) return word;
  if (sketchType !== undefined) return typeOfSketch[sketchType];
  if (otherWords[word] !== undefined) return otherWords[word];
  return word.length > 12 ? undefined : types.find((type) => editsBetween(word, type) <= (type.length > 4 ? 2 : 1));
}

/** Returns the edit distance of two texts: letters that are added, removed, replaced or swapped with the next one. */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(
          at(row - 1, column) + 1,
          (line[column - 1] ?? 0) + 1,
          at(row - 1, column - 1) + same,
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return at(a.length, b.length);

  function at(row: number, column: number): number {
    return rows[row]?.[column] ?? 0;
  }
}
