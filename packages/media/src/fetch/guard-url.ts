import { isIP } from "node:net";
import { Problem } from "@video-to-json/contract";
import { isPublicAddress } from "./public-address.ts";

/**
 * Rejects an http(s) URL that is forbidden whatever its host resolves to: a URL with credentials, an unusual port, a
 * private address or a private name. A host of `allowHosts` is only checked for credentials. Throws the Problem
 * `video_unreachable`.
 */
export function guardUrl(url: URL, options: { allowHosts: readonly string[] }): void {
  if (url.username !== "" || url.password !== "") throw forbidden("The URL contains a user name or password.");
  if (isAllowedHost(url, options.allowHosts)) return;
  if (!allowedPorts.has(portOf(url))) throw forbidden("The URL's port is not 80, 443, 8080 or 8443.");
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (isIP(host) ? !isPublicAddress(host) : privateName.test(host)) throw notPublic();
}

/** Returns whether the URL's host and port are one of the `host:port` pairs. */
export function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  const hostAndPort = `${url.hostname}:${portOf(url)}`;
  return allowHosts.some((allowed) => allowed.toLowerCase() === hostAndPort);
}

/** Returns the Problem of a URL that leads to a private address. It does not reveal the address. */
export function notPublic(): Problem {
  return forbidden("The URL does not lead to a public internet address.");
}

const allowedPorts = new Set(["80", "443", "8080", "8443"]);
/** Names of this machine or its network, whatever a resolver answers. */
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa)$/;

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function forbidden(reason: string): Problem {
  return new Problem("video_unreachable", { reason });
}
