import { createHash } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import type { RateLimiter } from "@video-to-json/queue";
import { clientNetworks } from "@video-to-json/runtime/http";

type Limiter = { readonly limiter: Pick<RateLimiter, "take"> };

const daySeconds = 86_400;
const codeWindowSeconds = 900;
const networkWindowSeconds = 600;
/** A person who gets no mail asks a few times. Applies to an address from one network, or from a known browser. */
const maxCodes = 5;
/**
 * Codes a day for one address from browsers that have not signed in to it, all together. Each code allows three tries, so
 * strangers have 150 guesses a day among 20^8 codes: one in 170 million. It also bounds the mail that strangers cause.
 */
const maxCodesADay = 50;
/** Codes a day for one address from one network, an IPv4 /24 or an IPv6 /48, so that it cannot use up the 50 alone. */
const maxCodesOfNetworkADay = 15;
/** Tries a day of one browser, for any addresses: ten codes. Challenges of passkeys count too. */
const maxTriesADay = 30;
/** Codes, and challenges, of an IPv4 /24 or an IPv6 /56, which belong to one site. */
const maxNetworkCodes = 20;
/** Codes of an IPv6 /48, the largest network that one customer gets. It holds 256 networks of /56. */
const maxWideNetworkCodes = 80;

type CodeAsked = {
  readonly email: string;
  readonly nonce: string;
  /** Whether the browser has signed in with this address before: then nothing that others do counts against it. */
  readonly isKnown: boolean;
  readonly ip: string | undefined;
};

/** Counts a code that a browser asks for. Throws rate_limited. */
export async function limitCodes(deps: Limiter, { email, nonce, isKnown, ip }: CodeAsked): Promise<void> {
  if (isKnown) {
    await take(deps, "code", [email, nonce], maxCodes, codeWindowSeconds);
    await take(deps, "sign-in-day", [email, nonce], maxCodesADay, daySeconds);
    return;
  }
  const [narrow = "", wide] = clientNetworks(ip);
  await limitNetworks(deps, ip);
  await take(deps, "code", [email, narrow], maxCodes, codeWindowSeconds);
  await take(deps, "sign-in-day", [email, wide ?? narrow], maxCodesOfNetworkADay, daySeconds);
  await take(deps, "sign-in-day", [email], maxCodesADay, daySeconds);
}

/** Counts a code that a browser enters. Throws rate_limited. */
export async function limitTries(deps: Limiter, nonce: string): Promise<void> {
  await take(deps, "sign-in-day", ["tries", nonce], maxTriesADay, daySeconds);
}

/** Counts a challenge that a browser asks for to sign in with a passkey. Codes have their own counts. Throws rate_limited. */
export async function limitPasskeys(deps: Limiter, { nonce, ip }: Pick<CodeAsked, "nonce" | "ip">): Promise<void> {
  await limitTries(deps, nonce);
  await limitNetworks(deps, ip, ["passkey"]);
}

/** Counts what a network asks as a host: registrations, and codes that it exchanges. Throws rate_limited. */
export async function limitHosts(deps: Limiter, what: "register" | "token", ip: string | undefined): Promise<void> {
  await limitNetworks(deps, ip, [what]);
}

async function limitNetworks(deps: Limiter, ip: string | undefined, kind: string[] = []): Promise<void> {
  const [narrow = "", wide] = clientNetworks(ip);
  await take(deps, "sign-in", [...kind, narrow], maxNetworkCodes, networkWindowSeconds);
  if (wide !== undefined) await take(deps, "sign-in", [...kind, wide], maxWideNetworkCodes, networkWindowSeconds);
}

async function take(
  { limiter }: Limiter,
  bucket: "code" | "sign-in" | "sign-in-day",
  owner: string[],
  limit: number,
  seconds: number,
): Promise<void> {
  // Hashed, so that no address is stored in Redis.
  const hash = createHash("sha256").update(owner.join("\n")).digest("base64url");
  const { allowed, resetSeconds } = await limiter.take(bucket, hash, limit, seconds);
  if (allowed) return;
  const reason = "There were too many attempts to sign in.";
  throw new Problem("rate_limited", { reason }, { retryAfterSeconds: resetSeconds });
}
