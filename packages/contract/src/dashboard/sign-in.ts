import Type from "typebox";
import { exact, Id, orNull, Time } from "./fields.ts";
import { RetentionDays } from "./retention.ts";

/**
 * `GET sign-in`: how readers get their codes: by mail, or on a developer's machine from the API's log. With "none" the
 * service makes no codes. `free_seconds` is what every new account gets.
 */
export const SignInSettings = exact({ mail: Type.Enum(["smtp", "log", "none"]), free_seconds: Type.Integer() });
export type SignInSettings = Type.Static<typeof SignInSettings>;

/** Body of `POST auth/email-otp/send-verification-otp`. The answer is the same for every address. */
export const CodeRequest = Type.Object({ email: Type.String(), type: Type.Literal("sign-in") });
export type CodeRequest = Type.Static<typeof CodeRequest>;

/** Body of `POST auth/sign-in/email-otp`. `otp` is the code of the message. */
export const SignInRequest = Type.Object({ email: Type.String(), otp: Type.String() });
export type SignInRequest = Type.Static<typeof SignInRequest>;

/** The limits of the service that the pages show or check. Sizes are in bytes. */
export const PageLimits = exact({
  max_video_seconds: Type.Integer(),
  max_upload_bytes: Type.Integer(),
  minimum_billed_seconds: Type.Integer(),
});
export type PageLimits = Type.Static<typeof PageLimits>;

/** `GET session`: the account that is signed in, and the limits of the service. */
export const Session = exact({
  email: Type.String(),
  account_id: Id,
  created_at: Time,
  retention_days: orNull(RetentionDays),
  limits: PageLimits,
});
export type Session = Type.Static<typeof Session>;
