import { customType, timestamp } from "drizzle-orm/pg-core";
import { Withheld } from "../connection/withheld.ts";

/** A `json` column as the very text that was written: key order, number literals and white space stay. */
export const jsonText = customType<{ data: string; driverData: string | Withheld }>({
  dataType: () => "json",
  toDriver: (text) => new Withheld(text),
  fromDriver: String,
});

/**
 * A text of a caller's, kept as a JSON string: Postgres refuses U+0000 in `text`, and UTF-8 loses lone surrogates;
 * escaped they all come back as they were sent.
 */
export const callerText = customType<{ data: string; driverData: string | Withheld }>({
  dataType: () => "json",
  toDriver: (text) => new Withheld(JSON.stringify(text)),
  fromDriver: (json) => String(JSON.parse(String(json))),
});

/** Bytes. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** A moment, as a Date; Postgres keeps microseconds, a Date milliseconds. */
export function moment(name: string) {
  return timestamp(name, { withTimezone: true, mode: "date" });
}
