import type { Limits } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import type { Completions, JobQueue, RateLimiter } from "@video-to-json/queue";
import {
  type GracefulShutdown,
  limitHeaders,
  lingeringClose,
  requestId,
  requireHost,
} from "@video-to-json/runtime/http";
import type { ApiMetrics, Logger, Tracing } from "@video-to-json/runtime/telemetry";
import type { FairPlaces } from "@video-to-json/runtime/timing";
import type { SchemaSandbox } from "@video-to-json/schema";
import type { Storage } from "@video-to-json/storage";
import express, { type Express } from "express";
import { takesArrivalTurn } from "./caller/arrival-turns.ts";
import { authenticate } from "./caller/authenticate.ts";
import { limitUse } from "./caller/limit-rate.ts";
import { type DashboardParts, dashboard } from "./dashboard/dashboard.ts";
import { hostSignIn } from "./dashboard/hosts/host-sign-in.ts";
import { onError, unknownRoute } from "./errors/on-error.ts";
import { health, securityHeaders } from "./http/health.ts";
import { observeRequests, traceRequests } from "./observe/observe-requests.ts";
import type { Refusals } from "./observe/refusals.ts";
import { openApiDocument } from "./openapi/openapi-document.ts";
import { reference } from "./reference/reference.ts";
import { extractRoute } from "./routes/extract.ts";
import { routes } from "./routes/routes.ts";

type Deps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "put" | "delete">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly queue: Pick<JobQueue, "enqueue" | "progress">;
  readonly completions: Pick<Completions, "wait" | "watch">;
  readonly limiter: Pick<RateLimiter, "take">;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly shutdown: Pick<GracefulShutdown, "middleware" | "isServing">;
  /** Returns whether what the API needs answers. */
  readonly isReady: () => Promise<boolean>;
  readonly limits: Limits;
  readonly keyPrefix: string;
  readonly publicUrl: string | undefined;
  /** The time of the backup that the service was restored from, if it was. */
  readonly restoredTo: string | undefined;
  readonly mcpAllowedHosts: readonly string[];
  readonly fetchAllowHosts: readonly string[];
  readonly uploadIdleSeconds: number;
  readonly uploadMinBytesPerSecond: number;
  readonly trustProxies: number;
  readonly databaseRetryMs: number;
  readonly commentEveryMs: number;
  readonly admissionTurns: Pick<FairPlaces, "take">;
  readonly arrivalTurns: Pick<FairPlaces, "take">;
  readonly refusals: Pick<Refusals, "handler">;
  /** Undefined: there is no dashboard. */
  readonly dashboard: DashboardParts | undefined;
};

/** Creates the API: what every request passes, then the routes of the list. */
export function createApp(deps: Deps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.set("trust proxy", deps.trustProxies);
  const headers = securityHeaders(deps.publicUrl);
  app.use((_request, response, next) => {
    response.set(headers);
    next();
  });
  // These routes stand before the log of requests, because probes would fill it.
  app.use(health(deps));
  app.use(
    requestId,
    traceRequests(deps),
    observeRequests(deps),
    deps.refusals.handler,
    lingeringClose,
    deps.shutdown.middleware,
    limitHeaders,
    requireHost,
  );
  const openApiJson = Buffer.from(JSON.stringify(openApiDocument(routes, deps.publicUrl ?? "/", deps.limits)));
  app.use(reference({ openApiJson, limits: deps.limits, hasDashboard: deps.dashboard !== undefined }));
  const extract = extractRoute.handle(deps);
  if (deps.dashboard) app.use(dashboard({ ...deps, ...deps.dashboard, extract }));
  const keysUrl = deps.dashboard && deps.publicUrl ? `${deps.publicUrl.replace(/\/$/, "")}/dashboard/keys` : undefined;
  app.use(hostSignIn({ ...deps, keysUrl }));
  // MCP clients look here too for a way to sign in. They find nothing, with or without a key.
  app.use("/v1/mcp/.well-known", unknownRoute);
  app.post(extractRoute.path, takesArrivalTurn(deps));
  app.use("/v1", authenticate({ ...deps, keysUrl }));
  for (const route of routes) {
    const method = route.everyMethod ? "all" : route.method;
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    const limits = route.use === "by message" ? [] : [limitUse(deps, route.use)];
    app[method](path, limits, route === extractRoute ? extract : route.handle({ ...deps, openApiJson }));
  }
  // Unknown routes have the rate limit of a read, so that they answer exactly as an unknown job does.
  app.use("/v1", limitUse(deps, { kind: "read", scope: "read" }));

  app.use(unknownRoute);
  app.use(onError(deps));
  return app;
}
