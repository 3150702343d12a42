import { Problem } from "@video-to-json/contract";
import { guardUrl } from "./guard-url.ts";

/**
 * Checks the text of a caller's URL without using the network.
 *
 * @param options.allowHosts `host:port` pairs that are exempt from the checks of address and port.
 * @returns the parsed URL.
 * @throws Problem `invalid_request` if the text is not an absolute http(s) URL, `video_unreachable` if the URL has a
 *   forbidden address or port, or credentials.
 */
export function checkVideoUrl(text: string, options: { allowHosts: readonly string[] }): URL {
  const trimmed = typeof text === "string" ? text.trim() : "";
  const wellFormed = /^https?:\/\/[^/]/i.test(trimmed) && trimmed.length <= maxUrlLength && !hasControls(trimmed);
  const url = wellFormed ? URL.parse(trimmed) : null;
  if (!url) throw notAnUrl();
  guardUrl(url, options);
  if (hasEmptyLabel(url.hostname)) throw notAnUrl();
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
