import Type from "typebox";
import { exact, Id, orNull, Seconds, Time } from "./fields.ts";

/** What a key may do: `extract` includes `read`. */
export const KeyScope = Type.Enum(["extract", "read"]);
export type KeyScope = Type.Static<typeof KeyScope>;

/** A key as jobs and usage name it. `display` is the first characters of the key. */
export const NamedKey = exact({ id: Id, name: Type.String(), display: Type.String() });
export type NamedKey = Type.Static<typeof NamedKey>;

const members = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scope: KeyScope,
  monthly_limit_minutes: orNull(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  ends_at: orNull(Time),
};

/** Body of `POST keys`. */
export const NewKey = exact(members);
export type NewKey = Type.Static<typeof NewKey>;

/**
 * A key of the account. `month_seconds` are the billed seconds of this calendar month (UTC). Times that never came are
 * null.
 */
export const KeyRecord = exact({
  ...NamedKey.properties,
  ...members,
  created_at: Time,
  last_used_at: orNull(Time),
  revoked_at: orNull(Time),
  state: Type.Enum(["live", "ended", "revoked"]),
  month_seconds: Seconds,
});
export type KeyRecord = Type.Static<typeof KeyRecord>;

/** `GET keys`: newest first, revoked ones too. */
export const KeyRecords = exact({ keys: Type.Array(KeyRecord) });
export type KeyRecords = Type.Static<typeof KeyRecords>;

/** Response to `POST keys`. Only this response contains the key. */
export const CreatedKey = exact({ key: Type.String(), record: KeyRecord });
export type CreatedKey = Type.Static<typeof CreatedKey>;
