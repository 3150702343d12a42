import { Problem } from "@video-to-json/contract";
import type { Request, RequestHandler } from "express";

/**
 * Accepts a request that changes data only if a page of this origin sent it. Browsers set both headers themselves. The
 * cookie's `SameSite` alone would allow other ports and subdomains of ours. Throws invalid_request.
 */
export function requireSameOrigin({ publicUrl }: { readonly publicUrl: string | undefined }): RequestHandler {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  return (request, _response, next) => {
    if (request.method !== "GET" && request.method !== "HEAD" && !isOwn(request)) {
      throw new Problem("invalid_request", {
        reason: "The request came from another site. Open the dashboard at its own address and try again.",
      });
    }
    next();
  };

  function isOwn(request: Request): boolean {
    const site = request.get("sec-fetch-site");
    if (site !== undefined && site !== "same-origin") return false;
    const origin = request.get("origin");
    if (origin === undefined) return site === "same-origin";
    // Only the host of the request is compared, because a proxy may end TLS. A page cannot fake the host for another
    // site.
    const host = URL.canParse(origin) ? new URL(origin).host : undefined;
    return origin === publicOrigin || (host !== undefined && host === request.host);
  }
}
