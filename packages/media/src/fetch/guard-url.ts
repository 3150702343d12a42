import { isIP } from "node:net";
import { Problem } from "@video-to-json/contract";
import { isPublicAddress } from "./public-address.ts";

/**
 * Refuses, as the Problem `video_unreachable`, an http(s) URL that is never fetched whatever it resolves to: one with
 * credentials, an unusual port, a private address or a private name. Of `allowHosts` only credentials are refused.
 */
export function guardUrl(url: URL, options: { allowHosts: readonly string[] }): void {
  if (url.username !== "" || url.password !== "") throw forbidden("The URL contains a user name or password.");
  if (isAllowedHost(url, options.allowHosts)) return;
  if (!usualPorts.has(portOf(url))) throw forbidden("The URL's port is not 80, 443, 8080 or 8443.");
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (isIP(host) ? !isPublicAddress(host) : privateName.test(host)) throw notPublic();
}

/** Whether a URL's host and port are one of the `host:port` pairs that are exempt from the guard. */
export function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  const hostAndPort = `${url.hostname}:${portOf(url)}`;
  return allowHosts.some((allowed) => allowed.toLowerCase() === hostAndPort);
}

/** The refusal of an address that is not one of the public internet; it does not say which. */
export function notPublic(): Problem {
  return forbidden("The URL does not lead to a public internet address.");
}

const usualPorts = new Set(["80", "443", "8080", "8443"]);
/** Names that stand for this machine or network, whatever a resolver says of them. */
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function forbidden(reason: string): Problem {
  return new Problem("video_unreachable", { reason });
}
