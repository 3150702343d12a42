import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Db, retryWhileUnavailable, sessionSecret } from "@video-to-json/database";
import type { ApiMetrics, Logger } from "@video-to-json/runtime/telemetry";
import type { DashboardParts } from "./dashboard.ts";
import { openMailer } from "./mail/open-mailer.ts";
import type { GrantsPerDay } from "./sign-in/open-sign-in.ts";
import type { SignIn } from "./sign-in/require-session.ts";

type Deps = { readonly db: Db; readonly log: Logger; readonly metrics: Pick<ApiMetrics, "signUps"> };

type Options = {
  /** The SMTP URL for mail; if undefined, codes are written to the log. */
  readonly smtpUrl: string | undefined;
  /** Signs the cookies of sessions; undefined uses the secret that the database keeps. */
  readonly secret: string | undefined;
  readonly freeSeconds: number;
  /** How many of those who sign up by themselves get them in a day. */
  readonly grantsPerDay: GrantsPerDay;
  /** The address that links in messages begin with; undefined makes messages without a link. */
  readonly publicUrl: string | undefined;
  /** The directory of the built page; that of `apps/dashboard` by default. */
  readonly pageDirectory?: string | undefined;
};

// A bundle has the page beside its `dist`; the repository has it in the dashboard's folder.
const pages = ["../dashboard", "../../../dashboard/dist"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const ownPage = pages.find((path) => existsSync(join(path, "index.html"))) ?? "";

/** Opens the dependencies that only the dashboard has. `close` waits for messages that are being sent. */
export function openDashboard(deps: Deps, options: Options): DashboardParts & { close(): Promise<void> } {
  const mailer = openMailer(deps, options);
  if (mailer.kind === "log")
    deps.log.info("SMTP_URL is not set: people can sign in to the dashboard at localhost only");
  const opened = createOnce(async () => {
    // Loading the library takes half a second and 40 MB. An API without sign-ins does not need it.
    const { openSignIn } = await import("./sign-in/open-sign-in.ts");
    const secret = options.secret ?? (await retryWhileUnavailable(() => sessionSecret(deps.db)));
    return openSignIn({ ...deps, mailer }, { ...options, secret });
  });
  const signIn: SignIn = {
    ask: async (route, request) => (await opened()).ask(route, request),
    sign: async (text) => (await opened()).sign(text),
    findSession: async (cookie) => (await opened()).findSession(cookie),
  };
  return { signIn, mailer, pageDirectory: options.pageDirectory ?? ownPage, close: () => mailer.close() };
}

/**
 * Returns a function that runs `work` at its first call and keeps the result. After a failure, the next call runs it
 * again.
 */
function createOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
