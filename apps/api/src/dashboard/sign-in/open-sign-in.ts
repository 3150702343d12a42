import { createHash, randomUUID } from "node:crypto";
import {
  type Db,
  dashboardCodes,
  dashboardSessions,
  dashboardUsers,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { openAccount } from "@video-to-json/database/money";
import type { RateLimiter } from "@video-to-json/queue";
import type { Logger } from "@video-to-json/runtime/telemetry";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { isAPIError } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import { emailOTP } from "better-auth/plugins/email-otp";
import { databaseUnavailable } from "../../errors/on-error.ts";
import type { Mailer, Message } from "../mail/open-mailer.ts";
import { authPath, Refused, type SignIn } from "./require-session.ts";

export type SignInDeps = {
  readonly db: Db;
  readonly mailer: Pick<Mailer, "send">;
  readonly limiter: Pick<RateLimiter, "take">;
  readonly log: Pick<Logger, "debug">;
};

type Options = {
  /** Signs the cookies. */
  readonly secret: string;
  readonly freeSeconds: number;
};

const codeMinutes = 10;
const sessionDays = 7;
const networkHeader = "x-client-network";

/**
 * Opens the sign-in with codes by mail, on better-auth (docs/decisions/0001, "Dashboard and accounts"). Codes are stored
 * as hashes, under hashes of their addresses, and end after three wrong attempts. The first sign-in of an address creates
 * its account and its one grant.
 */
export function openSignIn({ db, mailer, limiter, log }: SignInDeps, { secret, freeSeconds }: Options): SignIn {
  const auth = betterAuth({
    // Only its path matters: each request brings its own origin.
    baseURL: "http://localhost",
    basePath: authPath,
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    secret,
    database: drizzleAdapter(db, {
      provider: "pg",
      schema: { user: dashboardUsers, session: dashboardSessions, verification: dashboardCodes },
      transaction: true,
    }),
    user: { additionalFields: { accountId: { type: "string", required: false, input: false } } },
    session: { expiresIn: sessionDays * 86_400, updateAge: 86_400 },
    verification: { storeIdentifier: "hashed" },
    databaseHooks: {
      user: {
        create: {
          async before(user) {
            const { account } = await retryWhileUnavailable(() => openAccount(db, { email: user.email, freeSeconds }));
            return { data: { ...user, accountId: account.id } };
          },
        },
      },
      // The address of a session's browser is not used.
      session: { create: { before: async (session) => ({ data: { ...session, ipAddress: null, userAgent: null } }) } },
    },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 60,
      customRules: {
        "/email-otp/send-verification-otp": { window: 600, max: 20 },
        "/sign-in/email-otp": { window: 600, max: 60 },
      },
      customStorage: {
        async consume(key, { window, max }) {
          const owner = createHash("sha256").update(key).digest("base64url");
          const { allowed, resetSeconds } = await limiter.take("sign-in", owner, max, window);
          return { allowed, retryAfter: allowed ? null : resetSeconds };
        },
      },
    },
    onAPIError: { throw: true },
    advanced: {
      // It would require tables for passwords and other sign-ins, which nothing here uses.
      database: { generateId: () => randomUUID(), validateSchema: false },
      ipAddress: { ipAddressHeaders: [networkHeader] },
      cookiePrefix: "v2j",
      // `setCookies` adds `Secure`, because only it knows whether the browser used https.
      useSecureCookies: false,
      defaultCookieAttributes: { path: "/dashboard", httpOnly: true, sameSite: "lax" },
    },
    // Its log messages may quote a browser's input.
    logger: { log: (level) => log.debug({ level }, "better-auth") },
    telemetry: { enabled: false },
    plugins: [
      emailOTP({
        otpLength: 6,
        expiresIn: codeMinutes * 60,
        allowedAttempts: 3,
        storeOTP: "hashed",
        async sendVerificationOTP({ email, otp }) {
          mailer.send(codeMessage({ to: email, code: otp, minutes: codeMinutes }));
        },
      }),
    ],
  });

  return {
    async ask(route, { origin, network, cookie, body }) {
      const headers = new Headers({ "content-type": "application/json", origin, [networkHeader]: network });
      if (cookie !== undefined) headers.set("cookie", cookie);
      const request = new Request(`${origin}${authPath}${route}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const answer = await auth.handler(request).catch((error: unknown) => {
        if (isAPIError(error) && error.statusCode < 500) throw new Refused(error.message, { cause: error });
        throw error;
      });
      if (answer.status === 429) return { retryAfterSeconds: Number(answer.headers.get("x-retry-after")) };
      if (!answer.ok) throw new Refused(`status ${answer.status}`);
      return { cookies: answer.headers.getSetCookie() };
    },
    async findSession(cookie) {
      const asked = auth.api.getSession({ headers: new Headers({ cookie }), returnHeaders: true });
      const found = await asked.catch((error: unknown) => {
        // It fails only if the database fails, and then without the cause.
        throw isAPIError(error) ? databaseUnavailable(error) : error;
      });
      const accountId = found.response?.user.accountId ?? undefined;
      return { accountId, cookies: found.headers?.getSetCookie() ?? [] };
    },
  };
}

/** Returns the message with a code. The code comes first, so that a preview on a phone shows it. */
function codeMessage({ to, code, minutes }: { to: string; code: string; minutes: number }): Message {
  return {
    to,
    code,
    subject: `${code} is your code for Video-to-JSON`,
    text: [
      `${code} is your code to sign in to Video-to-JSON.`,
      `It works once, within ${minutes} minutes.`,
      "If you did not request it, ignore this message. Nobody can sign in without the code.",
      "",
    ].join("\n\n"),
  };
}
