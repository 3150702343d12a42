import { Problem } from "@video-to-json/contract";
import { guardUrl } from "./guard-url.ts";

/**
 * Checks the text of a caller's URL without touching the network, and gives it parsed. Throws the Problems
 * `invalid_request` where it is no absolute http(s) URL, `video_unreachable` where it names an address, a port or
 * credentials that are never used. `allowHosts` are `host:port` pairs that may be anything.
 */
export function checkVideoUrl(text: string, options: { allowHosts: readonly string[] }): URL {
  const trimmed = typeof text === "string" ? text.trim() : "";
  const wellFormed = /^https?:\/\/[^/]/i.test(trimmed) && trimmed.length <= longestUrl && !hasControls(trimmed);
  const url = wellFormed ? URL.parse(trimmed) : null;
  if (!url)
    throw new Problem("invalid_request", {
      reason:
        `\`video_url\` is not an absolute http(s) URL of at most ${longestUrl} characters. ` +
        "Send one such as https://example.com/video.mp4.",
    });
  guardUrl(url, options);
  return url;
}

const longestUrl = 8192;

function hasControls(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}
