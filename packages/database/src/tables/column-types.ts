import { customType, timestamp } from "drizzle-orm/pg-core";
import { Withheld } from "../connection/statements.ts";

/** A `json` column, read and written as text: key order, number literals and white space are preserved. */
export const jsonText = customType<{ data: string; driverData: string | Withheld }>({
  dataType: () => "json",
  toDriver: (text) => new Withheld(text),
  fromDriver: String,
});

/**
 * A caller's text, stored as a JSON string, because PostgreSQL refuses U+0000 in `text` and UTF-8 cannot encode lone
 * surrogates. The escaped form preserves both.
 */
export const callerText = customType<{ data: string; driverData: string | Withheld }>({
  dataType: () => "json",
  toDriver: (text) => new Withheld(JSON.stringify(text)),
  fromDriver: (json) => String(JSON.parse(String(json))),
});

/** Bytes. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** A timestamp with time zone, as a Date. PostgreSQL stores microseconds; a Date has milliseconds. */
export function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: "date" });
}
