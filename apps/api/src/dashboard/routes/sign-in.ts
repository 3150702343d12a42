import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Limits, Problem } from "@video-to-json/contract";
import {
  CodeRequest,
  PasskeySignIn,
  type SignInAnswer,
  SignInRequest,
  type SignInSettings,
} from "@video-to-json/contract/dashboard/account";
import { type Db, endSession } from "@video-to-json/database";
import type { RateLimiter } from "@video-to-json/queue";
import type { Request } from "express";
import type { Mailer } from "../mail/open-mailer.ts";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { becomeKnown, isKnown, nonceOf, openBrowser, readBrowser } from "../sign-in/browser.ts";
import { limitCodes, limitPasskeys, limitTries } from "../sign-in/limit-sign-in.ts";
import {
  type AskSignInDeps,
  askSignIn,
  cookiesOf,
  type Exchange,
  isOwnMachine,
  isPrivateConnection,
  type LibraryRoute,
  passkeyHost,
  Refused,
  setCookies,
} from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = AskSignInDeps &
  ReadBodyDeps & {
    readonly mailer: Pick<Mailer, "kind">;
    readonly db: Db;
    readonly limiter: Pick<RateLimiter, "take">;
    readonly limits: Pick<Limits, "freeSeconds">;
  };

/** Longer than sending a code or checking one takes, whether or not the address has an account. */
const answerMs = 250;
const addressForm = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const maxAddressLength = 254;

/** `GET sign-in`: how readers get their codes, and what is free. */
export const signInSettingsRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/sign-in",
  isOpen: true,
  handle: (deps) => (request, response) => {
    const host = passkeyHost(deps.publicUrl);
    response.json({
      mail: mailOf(deps, request),
      // Browsers make no passkeys for addresses without a name.
      passkeys: request.hostname === host && isIP(host.replace(/^\[|\]$/g, "")) === 0,
      free_seconds: deps.limits.freeSeconds,
    } satisfies SignInSettings);
  },
};

/**
 * `POST auth/email-otp/send-verification-otp`: sends a code. The answer and its time are the same for every address.
 */
export const sendCodeRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/auth/email-otp/send-verification-otp",
  isOpen: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, CodeRequest);
    return async (request, response) => {
      requirePrivate(deps, request);
      if (mailOf(deps, request) === "none") throw noMail();
      const email = addressOf(await readBody(request, response));
      const sent = async () => {
        const cookies = cookiesOf(request, deps.publicUrl);
        const browser = await openBrowser(deps.signIn, cookies);
        const { nonce } = browser;
        const known = await isKnown(deps.signIn, { nonce, email, cookies });
        await limitCodes(deps, { email, nonce, isKnown: known, ip: request.ip });
        const asked = { browser: nonce, body: { email, type: "sign-in" } };
        await askSignIn(deps, { request, response }, "/email-otp/send-verification-otp", asked);
        setCookies({ request, response }, deps.publicUrl, browser.cookies);
      };
      await atLeast(answerMs, sent()).catch((error: unknown) => {
        if (error instanceof Refused) throw wrongAddress();
        throw error;
      });
      response.json({ success: true });
    };
  },
};

/**
 * `POST auth/sign-in/email-otp`: opens a session with a code, which works once, in the browser that asked for it. With a
 * link, another browser can open one too, after its reader confirmed it.
 */
export const signInRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/auth/sign-in/email-otp",
  isOpen: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, SignInRequest);
    return async (request, response) => {
      requirePrivate(deps, request);
      const body = await readBody(request, response);
      const [email, otp] = [addressOf(body), body.otp.replace(/[\s-]/g, "").toUpperCase()];
      const cookies = cookiesOf(request, deps.publicUrl);
      const own = await readBrowser(deps.signIn, cookies);
      const linked = await nonceOf(deps.signIn, body.link);
      if (body.link !== undefined && !body.confirmed && (own === undefined || linked !== own)) {
        // Any page can send its reader to a link. So a link alone neither signs in nor uses up an attempt.
        response.json({ success: false } satisfies SignInAnswer);
        return;
      }
      const signedIn = async () => {
        const browser = linked ?? own;
        if (browser === undefined) throw new Refused("The browser asked for no code.");
        await limitTries(deps, browser);
        await openSession(deps, { request, response }, "/sign-in/email-otp", { browser, body: { email, otp } });
      };
      await atLeast(answerMs, signedIn()).catch((error: unknown) => {
        if (error instanceof Refused) throw wrongCode();
        throw error;
      });
      response.json({ success: true } satisfies SignInAnswer);
    };
  },
};

/** `POST auth/passkey/challenge`: what a passkey of any account signs in this browser. It works once, for five minutes. */
export const passkeyChallengeRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/auth/passkey/challenge",
  isOpen: true,
  handle: (deps) => async (request, response) => {
    requirePrivate(deps, request);
    const browser = await openBrowser(deps.signIn, cookiesOf(request, deps.publicUrl));
    await limitPasskeys(deps, { nonce: browser.nonce, ip: request.ip });
    const options = await askSignIn(deps, { request, response }, "/passkey/generate-authenticate-options");
    setCookies({ request, response }, deps.publicUrl, browser.cookies);
    // The library would name the passkeys of the account that is signed in, so nobody could change to another.
    response.json({ ...options, allowCredentials: [], userVerification: "required" });
  },
};

/** `POST auth/passkey/sign-in`: opens a session with a passkey. It needs no mail. */
export const passkeySignInRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/auth/passkey/sign-in",
  isOpen: true,
  handle: (deps) => {
    const readBody = createBodyReader(deps, PasskeySignIn);
    return async (request, response) => {
      requirePrivate(deps, request);
      const { credential } = await readBody(request, response);
      const body = { response: credential };
      await openSession(deps, { request, response }, "/passkey/verify-authentication", { body }).catch(
        (error: unknown) => {
          if (error instanceof Refused) throw wrongPasskey();
          throw error;
        },
      );
      response.json({ success: true } satisfies SignInAnswer);
    };
  },
};

/** Opens a session by a route of the library. Ends the earlier one of the browser, and makes the address known to it. */
async function openSession(
  deps: Deps,
  { request, response }: Exchange,
  route: LibraryRoute,
  asked: { browser?: string; body: object },
): Promise<void> {
  const cookies = cookiesOf(request, deps.publicUrl);
  const before = cookies === undefined ? undefined : (await deps.signIn.findSession(cookies)).found;
  const { user } = await askSignIn(deps, { request, response }, route, asked);
  // The new cookie replaces that of the earlier session, which its owner could then no longer end.
  if (before) await endSession(deps.db, before);
  if (!user) return;
  const known = await becomeKnown(deps.signIn, await openBrowser(deps.signIn, cookies), user.email);
  setCookies({ request, response }, deps.publicUrl, known);
}

function addressOf({ email }: { email: string }): string {
  const address = email.trim().toLowerCase();
  if (!addressForm.test(address) || address.length > maxAddressLength) throw wrongAddress();
  return address;
}

/** A reader of the log of a public service must not be able to sign in as anybody. */
export function mailOf(
  { mailer, publicUrl }: Pick<Deps, "mailer" | "publicUrl">,
  request: Request,
): SignInSettings["mail"] {
  return mailer.kind === "smtp" || isOwnMachine(request, publicUrl) ? mailer.kind : "none";
}

function noMail(): Problem {
  return new Problem("invalid_request", {
    reason: "This service sends no mail yet, so nobody can sign in here. Its operator has to set SMTP_URL.",
  });
}

function wrongAddress(): Problem {
  return new Problem("invalid_request", {
    reason: "The e-mail address is not valid. Use one such as name@example.com.",
  });
}

function wrongCode(): Problem {
  return new Problem("invalid_request", {
    reason:
      "The code is wrong, was used, is too old, was tried too often, or another browser asked for it. Ask for a new one.",
  });
}

function wrongPasskey(): Problem {
  return new Problem("invalid_request", {
    reason: "The passkey is unknown, was removed, or took longer than five minutes. Try again, or sign in with a code.",
  });
}

/**
 * A browser drops a `Secure` cookie that arrives over http. Without `Secure`, anybody on the network path could steal
 * the session.
 */
function requirePrivate({ publicUrl }: Deps, request: Request): void {
  if (isPrivateConnection(request, publicUrl)) return;
  throw new Problem("invalid_request", {
    reason: "Signing in needs https. Open the dashboard by https, or at localhost.",
  });
}

/**
 * Runs `work` and resolves after `ms` milliseconds at the earliest, so that the response time does not reveal what the
 * work found.
 */
async function atLeast<T>(ms: number, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, delay(ms)]);
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

/** `POST auth/sign-out`: ends the session of this browser. */
export const signOutRoute: DashboardRoute<AskSignInDeps> = signOut("/sign-out");

/** `POST auth/revoke-sessions`: ends every session of the account, including this browser's. */
export const revokeSessionsRoute: DashboardRoute<AskSignInDeps> = signOut("/revoke-sessions");

function signOut(route: "/sign-out" | "/revoke-sessions"): DashboardRoute<AskSignInDeps> {
  return {
    method: "post",
    path: `/auth${route}`,
    handle: (deps) => async (request, response) => {
      await askSignIn(deps, { request, response }, route).catch((error: unknown) => {
        // Another request may have ended the session meanwhile.
        if (error instanceof Refused) throw new Problem("unauthorised", { reason: "no_session" });
        throw error;
      });
      response.json({ success: true });
    },
  };
}
