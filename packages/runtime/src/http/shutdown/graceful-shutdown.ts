import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@video-to-json/contract";
import type { Request, RequestHandler, Response } from "express";

/** The HTTP side of a graceful shutdown: serve, then drain, then refuse. */
export type GracefulShutdown = {
  /** A middleware that must see every request. */
  middleware: RequestHandler;
  /**
   * Keeps serving for `ms` milliseconds, while load balancers notice that `/readyz` fails. Each response closes its
   * connection, so that the client's next request goes to another process.
   */
  drain(ms: number): Promise<void>;
  /** Returns whether new work is accepted: false from `drain` on. */
  isServing(): boolean;
  /** Refuses every request from now on with 503 `provider_unavailable` and `Retry-After: 1`. */
  refuseRequests(): void;
};

type Exchange = { request: Request; response: Response };

const maxBodyMs = 5_000;
const retryAfterSeconds = 1;

/**
 * Creates the shutdown of one server, in the state that serves (docs/decisions/0010, "Shutdown").
 *
 * @example
 * const shutdown = createGracefulShutdown();
 * app.use(shutdown.middleware);
 * await shutdown.drain(5_000);
 * shutdown.refuseRequests();
 */
export function createGracefulShutdown(): GracefulShutdown {
  const inFlight = new Set<Exchange>();
  let state: "serving" | "draining" | "refusing" = "serving";
  return {
    middleware(request, response, next) {
      const exchange = { request, response };
      if (state === "refusing") return refuse(exchange);
      inFlight.add(exchange);
      response.once("close", () => inFlight.delete(exchange));
      if (state === "draining") closeAfterResponse(exchange);
      next();
    },
    async drain(ms) {
      state = "draining";
      for (const exchange of inFlight) closeAfterResponse(exchange);
      await sleep(ms);
    },
    isServing: () => state === "serving",
    refuseRequests() {
      state = "refusing";
    },
  };
}

/** While the body is still arriving, the connection must outlast an early response, because closing would reset it. */
function closeAfterResponse({ request, response }: Exchange): void {
  const close = () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  if (request.complete || !hasBody(request)) close();
  else request.once("end", close);
}

function refuse({ request, response }: Exchange): void {
  const problem = new Problem(
    "provider_unavailable",
    { reason: "This server is restarting and did not process the request." },
    { retryAfterSeconds },
  );
  const body = JSON.stringify({ error: problem.toInside() });
  response
    .status(problem.status)
    .set(problem.headers)
    .set({ Connection: "close", "Content-Length": String(Buffer.byteLength(body)) })
    .type("application/json");
  if (!hasBody(request) || response.locals.expectsContinue) {
    response.end(body);
    return;
  }
  // The client gets the whole response at once. The connection closes when the body has arrived, or after the limit.
  response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, maxBodyMs);
  request.once("end", end).once("close", end).resume();
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
