import type { GracefulShutdown } from "@video-to-json/runtime/http";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import { type RequestHandler, Router } from "express";

type Deps = {
  readonly shutdown: Pick<GracefulShutdown, "isServing">;
  /** Returns whether the servers that the API needs answer. */
  readonly isReady: () => Promise<boolean>;
};

const maxCheckMs = 2000;
/** How long a result is reused, in milliseconds: a flood of requests costs the database one query in this time. */
const keptMs = 1000;

/**
 * Returns the routes `/healthz` (the process is alive) and `/readyz` (it can work and is not shutting down), for load
 * balancers that reach only the public port. They need no key and name no reason. The operator's listener does.
 */
export function health({ shutdown, isReady: findOut }: Deps): Router {
  let checked = { at: Number.NEGATIVE_INFINITY, isReady: Promise.resolve(false) };
  const isReady = () => {
    if (performance.now() - checked.at > keptMs) {
      const check = withTimeLimit(maxCheckMs, "The readiness check", findOut());
      checked = {
        at: performance.now(),
        isReady: check.catch(() => false),
      };
    }
    return checked.isReady;
  };
  const router = Router({ strict: true, caseSensitive: true });
  router.get(
    "/healthz",
    answer(async () => true),
  );
  router.get(
    "/readyz",
    answer(async () => shutdown.isServing() && (await isReady())),
  );
  return router;
}

function answer(isWell: () => Promise<boolean>): RequestHandler {
  return async (_request, response) => {
    const well = await isWell();
    response.status(well ? 200 : 503).json({ status: well ? "ok" : "unavailable" });
  };
}

/**
 * Returns the headers of every response, including errors and pages. They forbid browsers to run, sniff, frame, embed
 * or store the response. With an https `publicUrl`, browsers must also use https from then on.
 */
export function securityHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Origin-Agent-Cluster": "?1",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
    "X-Download-Options": "noopen",
    "X-Frame-Options": "DENY",
    "X-Permitted-Cross-Domain-Policies": "none",
    // Turns off the XSS filter of old browsers, which had security holes itself.
    "X-XSS-Protection": "0",
    "Cache-Control": "no-store",
    ...(publicUrl?.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
}
