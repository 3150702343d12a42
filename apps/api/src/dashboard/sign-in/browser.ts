import { randomBytes, timingSafeEqual } from "node:crypto";
import { cookieAttributes, type SignIn } from "./require-session.ts";

/**
 * The browser that asks for codes. Its nonce owns the codes that it asked for (docs/decisions/0011). Page scripts cannot
 * read the nonce, and the signature proves that it is one of ours.
 */
export type AskingBrowser = { readonly nonce: string; readonly cookies: readonly string[] };

type Signer = Pick<SignIn, "sign">;

const nonceCookie = "v2j.browser";
const knownCookie = "v2j.known";
/** Browsers keep no cookie longer. */
const cookieSeconds = 400 * 86_400;

/** Returns a nonce with its signature, as cookies and links carry it. */
export async function tokenOf(signer: Signer, nonce: string): Promise<string> {
  return `${nonce}.${await signer.sign(`browser ${nonce}`)}`;
}

/** Returns the nonce of a token, or undefined if its signature is not ours. */
export async function nonceOf(signer: Signer, token: string | undefined): Promise<string | undefined> {
  const [nonce = ""] = (token ?? "").split(".");
  return nonce !== "" && isEqual(token ?? "", await tokenOf(signer, nonce)) ? nonce : undefined;
}

/** Returns the nonce of the browser that sent the cookies, or undefined if it has none. */
export function readBrowser(signer: Signer, cookies: string | undefined): Promise<string | undefined> {
  return nonceOf(signer, cookieNamed(nonceCookie, cookies));
}

/** Returns the browser that sent the cookies, with a new nonce if it has none, and the cookie that keeps its nonce. */
export async function openBrowser(signer: Signer, cookies: string | undefined): Promise<AskingBrowser> {
  const nonce = (await readBrowser(signer, cookies)) ?? randomBytes(24).toString("base64url");
  return { nonce, cookies: [cookie(nonceCookie, await tokenOf(signer, nonce))] };
}

/** Returns whether the browser has signed in with this address before. Its quotas are its own. */
export async function isKnown(
  signer: Signer,
  { nonce, email, cookies }: { nonce: string; email: string; cookies: string | undefined },
): Promise<boolean> {
  return isEqual(cookieNamed(knownCookie, cookies) ?? "", await signer.sign(`known ${nonce} ${email}`));
}

/** Returns the cookies by which a browser that signed in is known the next time. */
export async function becomeKnown(signer: Signer, browser: AskingBrowser, email: string): Promise<string[]> {
  return [...browser.cookies, cookie(knownCookie, await signer.sign(`known ${browser.nonce} ${email}`))];
}

function cookie(name: string, value: string): string {
  return `${name}=${value}; Max-Age=${cookieSeconds}; ${cookieAttributes}`;
}

function cookieNamed(name: string, cookies: string | undefined): string | undefined {
  const pair = cookies?.split(/; */).find((text) => text.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

function isEqual(text: string, other: string): boolean {
  const [left, right] = [Buffer.from(text), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
