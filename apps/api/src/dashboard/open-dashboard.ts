import { fileURLToPath } from "node:url";
import { type Db, retryWhileUnavailable, sessionSecret } from "@video-to-json/database";
import type { RateLimiter } from "@video-to-json/queue";
import type { Logger } from "@video-to-json/telemetry";
import type { DashboardParts } from "./dashboard.ts";
import { openMailer } from "./mail/open-mailer.ts";
import type { SignIn } from "./sign-in/sign-in.ts";

type Deps = { readonly db: Db; readonly limiter: Pick<RateLimiter, "take">; readonly log: Logger };

type Options = {
  /** Where mail goes; undefined writes codes to the log. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** Signs the cookies of sessions; undefined uses the secret that the database keeps. */
  readonly secret: string | undefined;
  readonly freeSeconds: number;
  /** The directory of the built page; that of `apps/dashboard` by default. */
  readonly pageDirectory?: string | undefined;
};

const ownPage = fileURLToPath(new URL("../../../dashboard/dist", import.meta.url));

/** Opens what only the dashboard needs. `close` waits for messages that are on their way. */
export function openDashboard(deps: Deps, options: Options): DashboardParts & { close(): Promise<void> } {
  const mailer = openMailer(deps, { smtpUrl: options.smtpUrl, from: options.mailFrom });
  const opened = createOnce(async () => {
    // The library takes half a second and 40 MB, which an API that nobody signs in to does not need.
    const { openSignIn } = await import("./sign-in/open-sign-in.ts");
    const secret = options.secret ?? (await retryWhileUnavailable(() => sessionSecret(deps.db)));
    return openSignIn({ ...deps, mailer }, { secret, freeSeconds: options.freeSeconds });
  });
  const signIn: SignIn = {
    ask: async (route, request) => (await opened()).ask(route, request),
    findSession: async (cookie) => (await opened()).findSession(cookie),
  };
  return { signIn, mailer, pageDirectory: options.pageDirectory ?? ownPage, close: () => mailer.close() };
}

/** Returns a function that does some work at its first call, and again only if that fails. */
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
