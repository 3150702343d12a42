import { isIP } from "node:net";
import { Problem } from "@video-to-json/contract";
import { isPublicAddress } from "@video-to-json/runtime/public-address";

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
  // One dot at the end of a host name is allowed.
  if (url.hostname.startsWith(".") || url.hostname.includes("..")) throw notAnUrl();
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

/** What a caller does instead of sending the address of a page. */
const advice = {
  page: "Download the video, and send the file or its own address",
  drive:
    "For a file that everybody with the link may read, send https://drive.google.com/uc?export=download&id=<ID>, with the ID of the link",
  dropbox: "End the address with `dl=1` instead of `dl=0`",
  s3: "Send a presigned URL, which `aws s3 presign s3://<bucket>/<key>` prints",
};

type PageHost = {
  name: string;
  hosts: RegExp;
  advice: string;
  /** Addresses of this host that answer with the file. */
  files?: RegExp;
};

// A download of such a host has a path that ends like a video.
const videoFile = /\.(mp4|m4v|mov|webm|mkv)$/i;

const pageHosts: readonly PageHost[] = [
  { name: "YouTube", hosts: /^(.+\.)?(youtube\.com|youtube-nocookie\.com|youtu\.be)$/, advice: advice.page },
  { name: "Vimeo", hosts: /^((www|player)\.)?vimeo\.com$/, advice: advice.page, files: /progressive_redirect|\.mp4/ },
  { name: "TikTok", hosts: /^((www|m|vm|vt)\.)?tiktok\.com$/, advice: advice.page },
  { name: "Instagram", hosts: /^(www\.)?instagram\.com$/, advice: advice.page },
  { name: "Facebook", hosts: /^((www|m|web)\.)?(facebook\.com|fb\.watch)$/, advice: advice.page },
  { name: "X", hosts: /^((www|mobile)\.)?(x|twitter)\.com$/, advice: advice.page },
  { name: "Twitch", hosts: /^((www|m|clips)\.)?twitch\.tv$/, advice: advice.page },
  { name: "Loom", hosts: /^(www\.)?loom\.com$/, advice: advice.page },
  { name: "Dailymotion", hosts: /^((www)\.)?(dailymotion\.com|dai\.ly)$/, advice: advice.page },
  { name: "OneDrive", hosts: /^(1drv\.ms|onedrive\.live\.com)$/, advice: advice.page, files: /\/download|download=1/ },
  { name: "iCloud", hosts: /^((www|share)\.)?icloud\.com$/, advice: advice.page },
  { name: "Google Photos", hosts: /^(photos\.google\.com|photos\.app\.goo\.gl)$/, advice: advice.page },
  { name: "Google Drive", hosts: /^drive\.google\.com$/, advice: advice.drive, files: /export=download/ },
  { name: "Dropbox", hosts: /^(www\.)?dropbox\.com$/, advice: advice.dropbox, files: /[?&](dl|raw)=1/ },
  { name: "the console of AWS", hosts: /^([\w-]+\.)?console\.aws\.amazon\.com$/, advice: advice.s3 },
];

/**
 * Returns why a URL leads to a page and not to a video, and what to do, as the start of a sentence or two; undefined for
 * any other URL. It knows the hosts from which callers copy links.
 */
function pageFault(url: URL): string | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  const page = pageHosts.find(({ hosts }) => hosts.test(host));
  if (!page || page.files?.test(url.pathname + url.search)) return undefined;
  if (page.advice === advice.page && videoFile.test(url.pathname)) return undefined;
  return `The URL leads to a page of ${page.name}, not to the video. ${page.advice}.`;
}
