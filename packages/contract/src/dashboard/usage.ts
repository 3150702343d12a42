import Type from "typebox";
import { Day, exact, Id, orNull, Seconds } from "./fields.ts";
import { NamedKey } from "./keys.ts";

/** Finished jobs. `succeeded_seconds` were billed; `failed_seconds` is the length of videos that cost nothing. */
const counts = {
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  succeeded_seconds: Seconds,
  failed_seconds: Seconds,
};

/** The jobs that finished on one day (UTC), in total and by key. `key_id` null means the playground. */
export const UsageDay = exact({
  day: Day,
  ...counts,
  keys: Type.Array(exact({ key_id: orNull(Id), ...counts })),
});
export type UsageDay = Type.Static<typeof UsageDay>;

/** `GET usage`: every day from `from` to `to`, including empty days, and the keys that occur in them. */
export const Usage = exact({ from: Day, to: Day, days: Type.Array(UsageDay), keys: Type.Array(NamedKey) });
export type Usage = Type.Static<typeof Usage>;
