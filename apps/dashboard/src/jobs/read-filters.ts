import type { JobFilters } from "../api/queries.ts";

const names = ["status", "code", "key_id", "from", "to"] as const;

/** Returns the filters of an address, without values that are not text. */
export function readFilters(search: Record<string, unknown>): JobFilters {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
  );
}
