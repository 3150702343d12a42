import type { RateLimitAnswer } from "@video-to-json/queue";
import type { Response } from "express";

/**
 * Lets a response tell of a limit in the fields of draft-ietf-httpapi-ratelimit-headers-11: `RateLimit-Policy` with the
 * quota and its window, `RateLimit` with what is left (`r`) and the seconds until the quota is whole again (`t`). The
 * figures are those of the moment in which the head of the response goes out: an extraction outlasts a window.
 */
export function tellRateLimit(response: Response, policy: string, answer: RateLimitAnswer): void {
  const counted = performance.now();
  const tell = () => {
    const { limit, windowSeconds } = answer;
    const left = Math.ceil(answer.resetSeconds - (performance.now() - counted) / 1000);
    // Where the window has ended, the next request begins a new one.
    const [remaining, seconds] = left > 0 ? [answer.remaining, left] : [limit, windowSeconds];
    response.set("RateLimit-Policy", `"${policy}";q=${limit};w=${windowSeconds}`);
    response.set("RateLimit", `"${policy}";r=${remaining}${agreed(response, remaining, seconds)}`);
  };
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    tell();
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

/**
 * The parameter `t`, at peace with a Retry-After that has another reason (too_many_jobs, provider_unavailable), which
 * must not name a time before the end of the window: without quota it is put off until then, otherwise `t` is left out.
 */
function agreed(response: Response, remaining: number, seconds: number): string {
  const retryAfter = response.get("Retry-After");
  if (retryAfter !== undefined && Number(retryAfter) < seconds) {
    if (remaining > 0) return "";
    response.set("Retry-After", String(seconds));
  }
  return `;t=${seconds}`;
}
