import Type from "typebox";
import { Day, exact, Id, NextCursor, orNull, Seconds, Time } from "./fields.ts";
import { ListedJob } from "./jobs.ts";
import { NamedKey } from "./keys.ts";

/** After how many days the contents of jobs are erased automatically. */
export const RetentionDays = Type.Enum([30, 7, 1]);

/** Body and answer of `PUT account/retention`. Null keeps the contents. */
export const Retention = exact({ days: orNull(RetentionDays) });
export type Retention = Type.Static<typeof Retention>;

/** Answer of `GET account/mails`, and body and answer of `PUT account/mails`: whether mails about used minutes come. */
export const MinuteMails = exact({ minutes: Type.Boolean() });
export type MinuteMails = Type.Static<typeof MinuteMails>;

/**
 * `GET sign-in`: how readers get their codes: by mail, or on a developer's machine from the API's log. With "none" the
 * service makes no codes. `passkeys` says whether they work at this address. `free_seconds` is what every new account gets.
 */
export const SignInSettings = exact({
  mail: Type.Enum(["smtp", "log", "none"]),
  passkeys: Type.Boolean(),
  free_seconds: Type.Integer(),
});
export type SignInSettings = Type.Static<typeof SignInSettings>;

/** Body of `POST auth/email-otp/send-verification-otp`. The answer is the same for every address. */
export const CodeRequest = Type.Object({ email: Type.String(), type: Type.Literal("sign-in") });
export type CodeRequest = Type.Static<typeof CodeRequest>;

/**
 * Body of `POST auth/sign-in/email-otp`. `otp` is the code of the message. A page that was opened by a link sends the
 * link's `link`, or "" if it has none, and `confirmed` after its reader agreed.
 */
export const SignInRequest = Type.Object({
  email: Type.String(),
  otp: Type.String(),
  link: Type.Optional(Type.String()),
  confirmed: Type.Optional(Type.Boolean()),
});
export type SignInRequest = Type.Static<typeof SignInRequest>;

/** Answer of `POST auth/sign-in/email-otp`. False: the reader of the link has to confirm the sign-in first. */
export const SignInAnswer = exact({ success: Type.Boolean() });
export type SignInAnswer = Type.Static<typeof SignInAnswer>;

/** What `PublicKeyCredential.toJSON` of a browser gives, as far as its size is bounded here. The library checks the rest. */
const Credential = Type.Object({
  id: Type.String({ pattern: "^[\\w-]{1,1400}$" }),
  response: Type.Object({
    attestationObject: Type.Optional(Type.String({ maxLength: 20_000 })),
    transports: Type.Optional(Type.Array(Type.String({ pattern: "^[\\w-]{1,30}$" }), { maxItems: 10 })),
  }),
});

/** Body of `POST auth/passkey/sign-in`: the challenge of `POST auth/passkey/challenge`, signed. */
export const PasskeySignIn = Type.Object({ credential: Credential });
export type PasskeySignIn = Type.Static<typeof PasskeySignIn>;

/** Body of `POST passkeys`: a passkey that was made with the options of `POST passkeys/options`. */
export const NewPasskey = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 60, pattern: "^[^\\p{C}]*[^\\p{C}\\s][^\\p{C}]*$" }),
  credential: Credential,
});
export type NewPasskey = Type.Static<typeof NewPasskey>;

/** `GET passkeys`: the passkeys of the account, newest first. */
export const PasskeyRecords = exact({
  passkeys: Type.Array(exact({ id: Id, name: Type.String(), created_at: Time })),
});
export type PasskeyRecords = Type.Static<typeof PasskeyRecords>;

/** The limits of the service that the pages show or check. Sizes are in bytes. `more_minutes` says how people get more. */
export const PageLimits = exact({
  max_video_seconds: Type.Integer(),
  max_upload_bytes: Type.Integer(),
  minimum_billed_seconds: Type.Integer(),
  more_minutes: Type.String(),
});
export type PageLimits = Type.Static<typeof PageLimits>;

/**
 * `GET session`: the account that is signed in, and the limits of the service. `fresh_seconds` is how much
 * longer this sign-in makes keys and deletes the account; at 0 its reader signs in again for that.
 */
export const Session = exact({
  email: Type.String(),
  account_id: Id,
  created_at: Time,
  fresh_seconds: Type.Integer(),
  retention_days: orNull(RetentionDays),
  limits: PageLimits,
});
export type Session = Type.Static<typeof Session>;

/** `GET sessions`: the live sessions of the account, newest first. `last_used_at` is accurate to one day. */
export const SessionRecords = exact({
  sessions: Type.Array(
    exact({ id: Id, created_at: Time, last_used_at: Time, ends_at: Time, is_current: Type.Boolean() }),
  ),
});
export type SessionRecords = Type.Static<typeof SessionRecords>;

/**
 * `GET overview`. `balance_seconds` includes the holds of running jobs. `key_count` counts live keys. `month` is the
 * calendar month in UTC. `base_url` is the API's address, without a slash at the end.
 */
export const Overview = exact({
  balance_seconds: Seconds,
  held_seconds: Seconds,
  granted_seconds: Seconds,
  month: exact({ billed_seconds: Seconds, succeeded: Type.Integer(), failed: Type.Integer() }),
  recent_jobs: Type.Array(ListedJob),
  key_count: Type.Integer(),
  base_url: Type.String(),
});
export type Overview = Type.Static<typeof Overview>;

/**
 * `GET status`: the state of the service, for people. `queue_wait_seconds` is how long the oldest waiting job has
 * waited; 0 without waiting jobs. `provider` is derived from finished jobs: `since` is the time of the newest one that
 * asked the provider, and `reachable` is null if no job of the last hour did.
 */
export const ServiceStatus = exact({
  queue_wait_seconds: Type.Number(),
  provider: exact({ reachable: orNull(Type.Boolean()), since: orNull(Time) }),
  version: Type.String(),
});
export type ServiceStatus = Type.Static<typeof ServiceStatus>;

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

/** A row of the ledger. A debit has negative seconds and the job that caused it; a grant has a note. */
export const LedgerEntry = exact({
  id: Type.Integer(),
  kind: Type.Enum(["grant", "debit"]),
  seconds: Seconds,
  balance_after: Seconds,
  job_id: orNull(Id),
  note: orNull(Type.String()),
  created_at: Time,
});
export type LedgerEntry = Type.Static<typeof LedgerEntry>;

/** `GET ledger`: newest first. */
export const LedgerPage = exact({ entries: Type.Array(LedgerEntry), next_cursor: NextCursor });
export type LedgerPage = Type.Static<typeof LedgerPage>;
