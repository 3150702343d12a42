import { type Limits, Problem } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import type { RateLimiter } from "@video-to-json/queue";
import type { ApiMetrics } from "@video-to-json/runtime/telemetry";
import type { FairPlaces } from "@video-to-json/runtime/timing";
import type { SchemaSandbox } from "@video-to-json/schema";
import { type Request, type RequestHandler, Router } from "express";
import { takesArrivalTurn } from "../caller/arrival-turns.ts";
import { callerOf } from "../caller/authenticate.ts";
import { limitUse, setRateLimitHeaders } from "../caller/limit-rate.ts";
import { unknownRoute } from "../errors/on-error.ts";
import type { Route } from "../routes/route.ts";
import type { Mailer } from "./mail/open-mailer.ts";
import { servePage } from "./page/serve-page.ts";
import { dashboardRoutes } from "./routes/dashboard-routes.ts";
import { requireFreshSession, requireSession, type SignIn } from "./sign-in/require-session.ts";

/** The dependencies that only the dashboard has. */
export type DashboardParts = {
  readonly signIn: SignIn;
  readonly mailer: Pick<Mailer, "kind" | "send">;
  /** The directory of the built page. */
  readonly pageDirectory: string;
};

type Deps = DashboardParts & {
  readonly db: Db;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Limits;
  readonly metrics: Pick<ApiMetrics, "jobsEnded">;
  readonly arrivalTurns: Pick<FairPlaces, "take">;
  readonly keyPrefix: string;
  readonly publicUrl: string | undefined;
  readonly restoredTo: string | undefined;
  readonly uploadIdleSeconds: number;
  readonly uploadMinBytesPerSecond: number;
  readonly databaseRetryMs: number;
  /** The handler of `POST /v1/extract`. */
  readonly extract: ReturnType<Route<unknown>["handle"]>;
};

const apiPath = "/dashboard/api";

/** Returns the dashboard: its JSON routes at `/dashboard/api`, and its page (docs/decisions/0011). */
export function dashboard(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.use(apiPath, requireSameOrigin(deps));
  const session = requireSession(deps);
  for (const route of dashboardRoutes) {
    const path = apiPath + route.path.replace(/\{(\w+)\}/g, ":$1");
    const guards: RequestHandler[] = [];
    const fresh = route.needsFreshSession ? [requireFreshSession] : [];
    if (!route.isOpen) {
      if (route.extracts) guards.push(takesArrivalTurn(deps));
      guards.push(
        session,
        requireShownAccount,
        ...fresh,
        route.extracts ? limitUse(deps, { kind: "extract", scope: "extract" }) : limitPage(deps),
      );
    }
    router[route.method](path, guards, route.handle(deps));
  }
  router.use(apiPath, unknownRoute);
  router.use(servePage(deps));
  return router;
}

/**
 * Refuses a change that a page sends which shows another account than the one that is signed in: its reader signed in
 * elsewhere meanwhile. Throws invalid_request.
 */
const requireShownAccount: RequestHandler = (request, response, next) => {
  const shown = request.get("dashboard-account");
  if (request.method !== "GET" && shown !== undefined && shown !== callerOf(response).accountId) {
    throw new Problem("invalid_request", {
      reason: "This page shows another account than the one that is signed in now. Reload the page and try again.",
    });
  }
  next();
};

/** Limits the requests of an account's pages. The limit of its programs' reads does not include them. */
function limitPage({ limiter, limits }: Pick<Deps, "limiter" | "limits">): RequestHandler {
  return async (_request, response, next) => {
    const answer = await limiter.take("dashboard", callerOf(response).accountId, limits.readsPerMinute);
    setRateLimitHeaders(response, "dashboard", answer);
    if (!answer.allowed) {
      const reason = `The pages of this account sent more than ${answer.limit} requests in a minute.`;
      throw new Problem("rate_limited", { reason }, { retryAfterSeconds: answer.resetSeconds });
    }
    next();
  };
}

/**
 * Accepts a request that changes data only if a page of this origin sent it. Browsers set both headers themselves. The
 * cookie's `SameSite` alone would allow other ports and subdomains of ours. Throws invalid_request.
 */
function requireSameOrigin({ publicUrl }: { readonly publicUrl: string | undefined }): RequestHandler {
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
