import type { SchemaCheck } from "@video-to-json/contract/dashboard/jobs";
import { JsonFault, parseJson } from "../json/parse-json.ts";

/** A remark on a schema, with its place in the text. */
export type Remark = {
  readonly severity: "error" | "warning";
  readonly from: number;
  readonly to: number;
  readonly reason: string;
};

/** Returns why a text is not JSON, or undefined if it is. */
export function jsonRemark(text: string): Remark | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const from = Math.max(0, Math.min(error.at, text.length - 1));
    return { severity: "error", from, to: Math.min(from + 1, text.length), reason: error.message };
  }
}

/**
 * Returns the remarks of a check of a text: its errors, or its warnings if it has no errors. A remark with an unknown
 * place is at the start.
 */
export function remarksOf({ errors, warnings }: Pick<SchemaCheck, "errors" | "warnings">, length: number): Remark[] {
  const remarks = (severity: Remark["severity"], found: SchemaCheck["errors"]) =>
    found.map(({ reason, pointer, place }) => ({
      severity,
      from: Math.min(place?.from ?? 0, length),
      to: Math.min(place?.to ?? 0, length),
      reason: place === null && pointer !== "" ? `${pointer}: ${reason}` : reason,
    }));
  return errors.length > 0 ? remarks("error", errors) : remarks("warning", warnings);
}

/** Returns the line number of a place in a text, from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
