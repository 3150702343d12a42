import type { RateLimitAnswer } from "@video-to-json/queue";
import type { Response } from "express";
import onHeaders from "on-headers";

/**
 * Sets `RateLimit-Policy` (quota and window) and `RateLimit` (`r` requests left, `t` seconds until the window ends), as
 * draft-ietf-httpapi-ratelimit-headers-11 defines them. The values are those of the moment at which the response head
 * is sent, because an extraction takes longer than a window.
 */
export function setRateLimitHeaders(response: Response, policy: string, answer: RateLimitAnswer): void {
  const countedAt = performance.now();
  onHeaders(response, () => {
    const { limit, windowSeconds } = answer;
    const secondsLeft = Math.ceil(answer.resetSeconds - (performance.now() - countedAt) / 1000);
    // After the end of the window, the next request starts a new one.
    const [remaining, seconds] = secondsLeft > 0 ? [answer.remaining, secondsLeft] : [limit, windowSeconds];
    response.set("RateLimit-Policy", `"${policy}";q=${limit};w=${windowSeconds}`);
    response.set("RateLimit", `"${policy}";r=${remaining}${resetParameter(response, remaining, seconds)}`);
  });
}

/**
 * Returns the parameter `t`. A Retry-After with another reason (too_many_jobs, provider_unavailable) must not name a
 * time before `t`: if no request is left, Retry-After becomes the end of the window; otherwise `t` is left out.
 */
function resetParameter(response: Response, remaining: number, seconds: number): string {
  const retryAfter = response.get("Retry-After");
  if (retryAfter !== undefined && Number(retryAfter) < seconds) {
    if (remaining > 0) return "";
    response.set("Retry-After", String(seconds));
  }
  return `;t=${seconds}`;
}
