import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, createHmac, randomInt, randomUUID } from "node:crypto";
import { passkey } from "@better-auth/passkey";
import {
  type Db,
  dashboardCodes,
  dashboardPasskeys,
  dashboardSessions,
  dashboardUsers,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { type GrantCap, signUp } from "@video-to-json/database/money";
import type { ApiMetrics, Logger } from "@video-to-json/runtime/telemetry";
import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { APIError, isAPIError } from "better-auth/api";
import { betterAuth } from "better-auth/minimal";
import { emailOTP } from "better-auth/plugins/email-otp";
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";
import { getDomain } from "tldts";
import { databaseUnavailable } from "../../errors/on-error.ts";
import type { Mailer, Message } from "../mail/open-mailer.ts";
import { tokenOf } from "./browser.ts";
import { authPath, type LibraryAnswer, libraryRoutes, passkeyHost, Refused, type SignIn } from "./require-session.ts";

export type SignInDeps = {
  readonly db: Db;
  readonly mailer: Pick<Mailer, "send">;
  readonly log: Pick<Logger, "debug">;
  readonly metrics: Pick<ApiMetrics, "signUps">;
};

type Options = {
  /** Signs the cookies. */
  readonly secret: string;
  readonly freeSeconds: number;
  readonly grantsPerDay: GrantsPerDay;
  /** The address that links in messages begin with; undefined makes messages without a link. */
  readonly publicUrl: string | undefined;
};

const codeMinutes = 10;
// RFC 8628, section 6.1: no vowel, so no words; no digit, so nothing that looks like a letter. 20^8 codes.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const codeLength = 8;
const sessionDays = 7;

/**
 * Opens the sign-in with codes by mail and with passkeys, on better-auth (docs/decisions/0011). Codes are stored
 * as hashes, under hashes of their addresses and browsers, and end after three wrong attempts. So a code is a code of
 * the browser that asked for it, and nobody else can replace it or use its attempts. The first sign-in of an address
 * creates its account and its one grant.
 */
export function openSignIn(
  { db, mailer, log, metrics }: SignInDeps,
  { secret, freeSeconds, grantsPerDay, publicUrl }: Options,
): SignIn {
  // The library names a code by its address alone and passes no request on.
  const asking = new AsyncLocalStorage<{ browser: string | undefined; network: string }>();
  const sign = async (text: string) => createHmac("sha256", secret).update(text).digest("base64url");
  const auth = betterAuth({
    // Only its path matters: each request brings its own origin.
    baseURL: "http://localhost",
    basePath: authPath,
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    secret,
    database: drizzleAdapter(db, {
      provider: "pg",
      schema: {
        user: dashboardUsers,
        session: dashboardSessions,
        verification: dashboardCodes,
        passkey: dashboardPasskeys,
      },
      transaction: true,
    }),
    user: { additionalFields: { accountId: { type: "string", required: false, input: false } } },
    session: { expiresIn: sessionDays * 86_400, updateAge: 86_400 },
    verification: {
      storeIdentifier: {
        hash: async (identifier) =>
          createHash("sha256").update(`${identifier}\n${asking.getStore()?.browser}`).digest("base64url"),
      },
    },
    databaseHooks: {
      user: {
        create: {
          async before(user) {
            const { email } = user;
            const mailbox = mailboxOf(email);
            const caps = grantCaps(mailbox, asking.getStore()?.network ?? "unknown", grantsPerDay);
            const seconds = mailbox.isDisposable ? 0 : freeSeconds;
            const { account, outcome } = await retryWhileUnavailable(() =>
              signUp(db, { email, mailbox: mailbox.address, freeSeconds: seconds, caps }),
            );
            metrics.signUps.inc({ outcome: mailbox.isDisposable ? "disposable" : outcome });
            return { data: { ...user, accountId: account.id } };
          },
        },
      },
      // The address of a session's browser is not used.
      session: { create: { before: async (session) => ({ data: { ...session, ipAddress: null, userAgent: null } }) } },
    },
    // It knows addresses only. The routes count browsers and networks too.
    rateLimit: { enabled: false },
    onAPIError: { throw: true },
    advanced: {
      // It would require tables for passwords and other sign-ins, which nothing here uses.
      database: { generateId: () => randomUUID(), validateSchema: false },
      ipAddress: { disableIpTracking: true },
      cookiePrefix: "v2j",
      // `setCookies` adds `Secure` and the prefix, because only it knows whether the browser used https.
      useSecureCookies: false,
      defaultCookieAttributes: { path: "/dashboard", httpOnly: true, sameSite: "lax" },
    },
    // Its log messages may quote a browser's input.
    logger: { log: (level) => log.debug({ level }, "better-auth") },
    telemetry: { enabled: false },
    plugins: [
      emailOTP({
        generateOTP: () =>
          Array.from({ length: codeLength }, () => codeLetters[randomInt(codeLetters.length)]).join(""),
        expiresIn: codeMinutes * 60,
        allowedAttempts: 3,
        storeOTP: "hashed",
        async sendVerificationOTP({ email, otp }) {
          const code = `${otp.slice(0, codeLength / 2)}-${otp.slice(codeLength / 2)}`;
          const browser = asking.getStore()?.browser ?? "";
          const link = new URLSearchParams({ email, code, link: await tokenOf({ sign }, browser) });
          const address = publicUrl && `${publicUrl.replace(/\/$/, "")}/dashboard/sign-in#${link}`;
          mailer.send(codeMessage({ to: email, code, minutes: codeMinutes, address }));
        },
      }),
      passkey({
        rpName: "Video-to-JSON",
        rpID: passkeyHost(publicUrl),
        // Without it, the library takes the origin of the request, and the host is localhost.
        origin: publicUrl === undefined ? null : new URL(publicUrl).origin,
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        registration: { afterVerification: ({ verification }) => requireVerified(verification.registrationInfo) },
        authentication: { afterVerification: ({ verification }) => requireVerified(verification.authenticationInfo) },
        advanced: { webAuthnChallengeCookie: "passkey" },
      }),
    ],
  });

  return {
    async ask(route, { origin, cookie, browser, network, body }) {
      const headers = new Headers({ "content-type": "application/json", origin });
      if (cookie !== undefined) headers.set("cookie", cookie);
      const method = libraryRoutes[route];
      const request = new Request(`${origin}${authPath}${route}`, {
        method,
        headers,
        ...(method === "POST" && { body: JSON.stringify(body) }),
      });
      const asked = asking.run({ browser, network }, () => auth.handler(request));
      const answer = await asked.catch((error: unknown) => {
        // The library answers 500 to a wrong passkey. An error of the database is not one of its own.
        const isRefusal = isAPIError(error) && (error.statusCode < 500 || route === "/passkey/verify-registration");
        if (isRefusal) throw new Refused(error.message, { cause: error });
        throw error;
      });
      if (!answer.ok) throw new Refused(`status ${answer.status}`);
      return { cookies: answer.headers.getSetCookie(), body: (await answer.json()) as LibraryAnswer["body"] };
    },
    sign,
    async findSession(cookie) {
      const ask = (disableRefresh: boolean) =>
        auth.api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh }, returnHeaders: true });
      // A database that cannot be written does not record the use of an older session, and lets it read.
      const asked = ask(false).catch(() => ask(true));
      const found = await asked.catch((error: unknown) => {
        // better-auth throws its own error only if the database fails, and leaves out the cause.
        throw isAPIError(error) ? databaseUnavailable(error) : error;
      });
      const cookies = found.headers?.getSetCookie() ?? [];
      const accountId = found.response?.user.accountId;
      if (!found.response || !accountId) return { found: undefined, cookies };
      const { id, createdAt } = found.response.session;
      return { found: { id, accountId, createdAt }, cookies };
    },
  };
}

/** The passkey is all that a sign-in needs. So its device must have checked who holds it, by a PIN, finger or face. */
function requireVerified(checked: { userVerified: boolean } | undefined): void {
  if (!checked?.userVerified) throw new APIError("BAD_REQUEST", { message: "the device checked nobody" });
}

type CodeMessage = { to: string; code: string; minutes: number; address: string | undefined };

/** Returns the message with a code. The code comes first, so that a preview on a phone shows it. */
function codeMessage({ to, code, minutes, address }: CodeMessage): Message {
  return {
    to,
    code,
    subject: `${code} is your code for Video-to-JSON`,
    text: [
      `${code} is your code to sign in to Video-to-JSON.`,
      `It works once, within ${minutes} minutes, in the browser that asked for it.`,
      ...(address ? [`Or open this address: ${address}`] : []),
      "If you did not request it, ignore this message. Nobody can sign in without the code.",
      "",
    ].join("\n\n"),
  };
}

/** How many free grants a day people get who sign up by themselves. */
export type GrantsPerDay = { readonly service: number; readonly domain: number; readonly network: number };

/** The providers that ignore dots in the name of a mailbox. Both domains belong to one provider. */
const withoutDots = new Set(["gmail.com", "googlemail.com"]);
/** Many people share these domains, so that the limit of a domain would keep out strangers to each other. */
const publicProviders = new Set([
  ...["gmail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com", "icloud.com", "me.com"],
  ...["proton.me", "protonmail.com", "gmx.de", "gmx.net", "web.de", "mail.com", "zoho.com", "fastmail.com", "qq.com"],
  ...["163.com", "126.com", "naver.com", "mail.ru", "yandex.ru", "yandex.com", "orange.fr", "free.fr", "libero.it"],
]);
const disposable = disposableEmailBlocklistSet();

/** The mailbox that an address reaches, which several addresses can share, and its domain. */
type Mailbox = { readonly address: string; readonly domain: string; readonly isDisposable: boolean };

/** Returns the mailbox of an address: in lower case, without `+tag`, without dots where the provider ignores them. */
export function mailboxOf(email: string): Mailbox {
  const address = email.trim().toLowerCase();
  const at = address.lastIndexOf("@");
  const host = address.slice(at + 1).replace(/\.$/, "");
  const [name = ""] = address.slice(0, at).split("+");
  // The owner of a domain owns its subdomains.
  const domain = getDomain(host) ?? host;
  const isDisposable = disposable.has(host) || disposable.has(domain);
  if (withoutDots.has(host))
    return { address: `${name.replaceAll(".", "")}@gmail.com`, domain: "gmail.com", isDisposable };
  return { address: `${name}@${host}`, domain, isDisposable };
}

/** Returns the caps that a grant to an address uses up. */
export function grantCaps({ domain }: Mailbox, network: string, perDay: GrantsPerDay): GrantCap[] {
  const caps: GrantCap[] = [
    { kind: "network", owner: network, limit: perDay.network },
    { kind: "service", owner: "all", limit: perDay.service },
  ];
  return publicProviders.has(domain) ? caps : [{ kind: "domain", owner: domain, limit: perDay.domain }, ...caps];
}
