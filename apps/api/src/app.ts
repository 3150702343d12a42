import type { Limits } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import type { Completions, JobQueue, RateLimiter } from "@video-to-json/queue";
import type { SchemaSandbox } from "@video-to-json/schema-input";
import type { Storage } from "@video-to-json/storage";
import type { Logger, Metrics } from "@video-to-json/telemetry";
import express, { type Express } from "express";
import { authenticate } from "./caller/authenticate.ts";
import { limitRate } from "./caller/limit-rate.ts";
import { unknownRoute } from "./errors/not-found.ts";
import { onError } from "./errors/on-error.ts";
import type { TakeBacks } from "./extract/take-backs.ts";
import type { Drain } from "./http/drain.ts";
import { limitHeaders } from "./http/limit-headers.ts";
import { linger } from "./http/linger.ts";
import { observe } from "./http/observe.ts";
import { requestId } from "./http/request-id.ts";
import { requireHost } from "./http/require-host.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { reference } from "./reference/reference.ts";
import { extract } from "./routes/extract.ts";
import { job } from "./routes/job.ts";
import { mcp } from "./routes/mcp.ts";
import { me } from "./routes/me.ts";
import { openapi } from "./routes/openapi.ts";

type Deps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "put" | "delete">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly queue: Pick<JobQueue, "enqueue">;
  readonly completions: Pick<Completions, "wait">;
  readonly limiter: Pick<RateLimiter, "take">;
  readonly metrics: Pick<Metrics, "requests">;
  readonly log: Logger;
  readonly drain: Pick<Drain, "guard">;
  readonly limits: Limits;
  readonly keyPrefix: string;
  readonly publicUrl: string | undefined;
  readonly mcpAllowedHosts: readonly string[];
  readonly fetchAllowHosts: readonly string[];
  readonly uploadIdleSeconds: number;
  readonly uploadMinBytesPerSecond: number;
  readonly trustProxies: number;
  readonly databaseRetryMs: number;
  readonly takeBacks: Pick<TakeBacks, "takeBack">;
};

/** Composes the API: what every request goes through, then a file a route. */
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
  app.use(requestId, observe(deps), linger, deps.drain.guard, limitHeaders, requireHost);
  app.use(reference(deps));

  // Clients look below the endpoint for a way to sign in; there is none, with a key or without.
  app.use("/v1/mcp/.well-known", unknownRoute);
  app.use("/v1", authenticate(deps));
  const reads = limitRate(deps, "read");
  const extractions = limitRate(deps, "extract");
  app.post("/v1/extract", extractions, extract(deps));
  app.get("/v1/jobs/:id", reads, job(deps));
  app.get("/v1/me", reads, me(deps));
  app.get("/v1/openapi.json", reads, openapi(deps));
  app.all("/v1/mcp", mcp(deps));
  // With the same limit an unknown route tells no more than an unknown job does.
  app.use("/v1", reads);

  app.use(unknownRoute);
  app.use(onError(deps));
  return app;
}
