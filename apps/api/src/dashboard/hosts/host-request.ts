import { timingSafeEqual } from "node:crypto";
import { type KeyScope, Problem } from "@video-to-json/contract";
import type { Request } from "express";
import type { SignIn } from "../sign-in/require-session.ts";

/**
 * A program that asks people for keys, as it registered: the name that it gives itself, and the addresses that codes may
 * go to. Its id is this text with our signature, so that registrations of strangers take no room (RFC 7591, A.5.2).
 */
export type Host = { readonly name: string; readonly redirectUris: readonly string[] };

type Signer = { readonly signIn: Pick<SignIn, "sign"> };

const maxUris = 20;
const maxUrisLength = 2000;
const maxNameLength = 60;
/** Schemes that a program owns on its computer: names of a domain (RFC 8252, 7.1), and those of hosts that use a word. */
const ownScheme =
  /^(?:[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+|cursor|vscode|vscode-insiders|vscodium|windsurf|zed|claude|goose|raycast|warp):$/;
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Returns the host that a body registers. Throws invalid_request, with the reason, for an address that codes must not go to. */
export function readHost({ client_name, redirect_uris }: Record<string, unknown>): Host {
  const uris: unknown[] = Array.isArray(redirect_uris) ? redirect_uris : [];
  const isText = (uri: unknown): uri is string => typeof uri === "string";
  if (uris.length === 0 || uris.length > maxUris || !uris.every(isText) || uris.join("").length > maxUrisLength) {
    const reason = `\`redirect_uris\` has 1 to ${maxUris} addresses, of ${maxUrisLength} characters together.`;
    throw new Problem("invalid_request", { reason });
  }
  const wrong = uris.find((uri) => !isAllowed(uri));
  if (wrong !== undefined) {
    const reason = `The redirect URI ${JSON.stringify(wrong)} must be https, http at 127.0.0.1, [::1] or localhost, or a scheme such as com.example.app:, without a fragment and a password.`;
    throw new Problem("invalid_request", { reason });
  }
  const given =
    typeof client_name === "string" ? client_name.replace(/\p{C}/gu, "").trim().slice(0, maxNameLength) : "";
  return { name: given.isWellFormed() && given !== "" ? given : firstPlace(uris[0] ?? ""), redirectUris: uris };
}

function firstPlace(uri: string): string {
  const { protocol, hostname } = new URL(uri);
  return hostname || protocol;
}

function isAllowed(uri: string): boolean {
  // Browsers drop white space and read `\` as `/`: what is compared must be where the browser goes.
  if (!URL.canParse(uri) || uri.includes("#") || /[\s\\\p{C}]/u.test(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  const isHttp = protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
  return username + password === "" && (isHttp || ownScheme.test(protocol));
}

/** Returns the client id of a host. */
export async function clientIdOf({ signIn }: Signer, { name, redirectUris }: Host): Promise<string> {
  const text = Buffer.from(JSON.stringify([name, ...redirectUris])).toString("base64url");
  return `${text}.${await signIn.sign(`host ${text}`)}`;
}

async function findHost({ signIn }: Signer, clientId: string): Promise<Host | undefined> {
  const [text = "", signature = ""] = clientId.split(".");
  const [given, own] = [Buffer.from(signature), Buffer.from(await signIn.sign(`host ${text}`))];
  if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined;
  const [name, ...redirectUris] = JSON.parse(Buffer.from(text, "base64url").toString()) as [string, ...string[]];
  return { name, redirectUris };
}

/** What a host asks of a person, after all checks. */
export type HostQuestion = {
  readonly host: Host;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly challenge: string;
  readonly scope: KeyScope;
};

/**
 * Reads what a host asks: the query of its authorisation request, in base64url. Throws invalid_request. Its reader sees
 * every fault here, and the browser goes nowhere: an address that the host did not register must get no word from us.
 */
export async function readQuestion(deps: Signer, packed: string, base: string): Promise<HostQuestion> {
  const asked = new URLSearchParams(Buffer.from(packed, "base64url").toString());
  const get = (name: string) => asked.get(name) ?? "";
  const [clientId, redirectUri] = [get("client_id"), get("redirect_uri")];
  const host = await findHost(deps, clientId);
  const faults: [boolean, string][] = [
    [new Set(asked.keys()).size !== [...asked.keys()].length, "a parameter stands twice"],
    [host === undefined, "it is not registered here"],
    [
      !host?.redirectUris.some((own) => isSameAddress(own, redirectUri)),
      "the redirect URI is not one that it registered",
    ],
    [get("response_type") !== "code", "`response_type` is not `code`"],
    [get("code_challenge_method") !== "S256", "`code_challenge_method` is not `S256`"],
    [!/^[\w-]{43}$/.test(get("code_challenge")), "`code_challenge` is not a SHA-256 in base64url"],
    [!isOwnResource(asked.get("resource"), base), "`resource` is another service"],
  ];
  const fault = faults.find(([isFault]) => isFault)?.[1];
  if (host === undefined || fault !== undefined) {
    const reason = `This request of a program to use your account is wrong: ${fault}. Connect again from the program.`;
    throw new Problem("invalid_request", { reason });
  }
  const scope = get("scope").split(" ").includes("extract") || get("scope") === "" ? "extract" : "read";
  return { host, clientId, redirectUri, state: asked.get("state"), challenge: get("code_challenge"), scope };
}

/** Two loopback addresses may differ in the port, which a program gets when it starts to listen (RFC 8252, 7.3). */
function isSameAddress(registered: string, asked: string): boolean {
  if (registered === asked) return true;
  if (!isAllowed(asked)) return false;
  const [one, other] = [new URL(registered), new URL(asked)];
  if (one.protocol !== "http:" || !loopback.test(one.hostname)) return false;
  one.port = other.port;
  return one.href === other.href;
}

function isOwnResource(resource: string | null, base: string): boolean {
  return resource === null || [base, `${base}/v1/mcp`].includes(resource.replace(/\/$/, ""));
}

/** Returns where a redirect URI leads, in words; null for a program that listens on the computer of the reader. */
export function placeOf(uri: string): string | null {
  const { protocol, host, hostname } = new URL(uri);
  if (ownScheme.test(protocol)) return `the program that opens ${protocol} addresses on this computer`;
  return loopback.test(hostname) ? null : host;
}

/** Returns the address that answers a host. `iss` tells a host of several services which of them answers (RFC 9207). */
export function answerUrl({ redirectUri, state }: HostQuestion, base: string, answer: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state === null ? {} : { state }), iss: base })) {
    url.searchParams.append(name, value);
  }
  return url.href;
}

/** Returns the service's own address, as its metadata and links name it. */
export function baseOf(publicUrl: string | undefined, request: Request): string {
  return (publicUrl ?? `${request.protocol}://${request.host}`).replace(/\/$/, "");
}
