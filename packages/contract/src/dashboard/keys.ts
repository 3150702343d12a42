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

/** Body of `PUT keys/{id}`: the name and the limits of a live key. The scope never changes. */
export const KeyChange = exact({
  name: members.name,
  monthly_limit_minutes: members.monthly_limit_minutes,
  ends_at: members.ends_at,
});
export type KeyChange = Type.Static<typeof KeyChange>;

/** Body of `POST keys/{id}/rotate`: how long the old key works beside the new one. The answer is a `CreatedKey`. */
export const KeyRotation = exact({ overlap: Type.Enum(["now", "hour", "day", "week"]) });
export type KeyRotation = Type.Static<typeof KeyRotation>;

/**
 * A key of the account. `month_seconds` are the billed seconds of this calendar month (UTC), together with
 * those of the keys that it replaced by rotations. Times that never came are null.
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

/**
 * `GET refusals`: the requests of the last seven days that were refused before a job existed, newest first. Equal refusals
 * of one minute are one entry with their number; `request_id` and `last_at` are those of the last one. `key` null means
 * the dashboard. `title` and `advice` are those of the error catalogue.
 */
export const Refusals = exact({
  refusals: Type.Array(
    exact({
      code: Type.String(),
      title: Type.String(),
      advice: Type.String(),
      route: Type.String(),
      key: orNull(NamedKey),
      count: Type.Integer(),
      request_id: Type.String(),
      last_at: Time,
    }),
  ),
});
export type Refusals = Type.Static<typeof Refusals>;

/**
 * Response to `GET connect`: which host asks for a key, by the name that it gives itself, and where the browser goes
 * afterwards. `to` null: to a program on the computer of the reader. `deny_url` tells the host that the reader refused.
 */
export const HostRequest = exact({
  name: Type.String(),
  to: orNull(Type.String()),
  scope: KeyScope,
  deny_url: Type.String(),
});
export type HostRequest = Type.Static<typeof HostRequest>;

/** Body of `POST connect`: what the host asked, as its address has it, and the key that it may fetch. */
export const HostConsent = exact({ request: Type.String({ maxLength: 8192 }), key: NewKey });
export type HostConsent = Type.Static<typeof HostConsent>;

/** Response to `POST connect`: the address of the host, with the code that fetches the key. */
export const HostAnswer = exact({ url: Type.String() });
export type HostAnswer = Type.Static<typeof HostAnswer>;
