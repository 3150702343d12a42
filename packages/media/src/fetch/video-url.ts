import { isIP } from "node:net";
import { Problem } from "@video-to-json/contract";
import { isPublicAddress } from "@video-to-json/runtime/public-address";
import { pageFault } from "./page-hosts.ts";

/**
 * Checks the text of a caller's URL without using the network.
 *
 * @param options.allowHosts `host:port` pairs that are exempt from the checks of address and port.
 * @returns the parsed URL.
 * @throws Problem `invalid_request` if the text is not an absolute http(s) URL, `video_unreachable` if the URL has a
 *   forbidden address or port, or credentials, or leads to a page of a known host.
 */
export function checkVideoUrl(text: string, options: { allowHosts: readonly string[] }): URL {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (/\shttps?:\/\//i.test(trimmed)) {
    throw new Problem("invalid_request", { reason: "`video_url` holds several addresses. Send one." });
  }
  if (/^(s3|gs):/i.test(trimmed)) {
    const reason =
      "`video_url` names an object in a bucket. Send a presigned https URL of it: `aws s3 presign s3://<bucket>/<key>` or `gcloud storage sign-url` prints one.";
    throw new Problem("invalid_request", { reason });
  }
  const wellFormed = /^https?:\/\/[^/]/i.test(trimmed) && trimmed.length <= maxUrlLength && !hasControls(trimmed);
  const url = wellFormed ? URL.parse(trimmed) : null;
  if (!url) throw notAnUrl();
  guardUrl(url, options);
  if (hasEmptyLabel(url.hostname)) throw notAnUrl();
  const fault = pageFault(url);
  if (fault !== undefined) throw new Problem("video_unreachable", { reason: fault });
  return url;
}

function notAnUrl(): Problem {
  return new Problem("invalid_request", {
    reason:
      `\`video_url\` is not an absolute http(s) URL of at most ${maxUrlLength} characters. ` +
      "Send one such as https://example.com/video.mp4; a local file is uploaded to `POST /v1/extract`.",
  });
}

const maxUrlLength = 8192;

function hasControls(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}

/** Returns whether a host name has an empty label. One dot at its end is allowed. */
function hasEmptyLabel(hostname: string): boolean {
  return hostname.startsWith(".") || hostname.includes("..");
}

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
