import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DependencyWatch } from "../dependencies/watch-dependencies.ts";
import type { Metrics } from "../metrics/open-metrics.ts";

type OperatorDeps = {
  readonly metrics: Pick<Metrics, "scrape" | "contentType">;
  /** Reports the dependencies that the process needs and that fail. */
  readonly dependencies: Pick<DependencyWatch, "check">;
  /** Returns false if the process is stuck and should be restarted. */
  alive?(): boolean;
};

export type OperatorListener = {
  url: string;
  /** Makes /readyz answer 503, so that the process gets no new work. */
  drain(): void;
  close(): Promise<void>;
};

/**
 * Starts the HTTP listener for the operator: `/metrics` (Prometheus text), `/healthz` (liveness) and `/readyz`
 * (readiness, with each failure and its start).
 *
 * @param options.port 0 means any free port.
 * @throws the error of `listen`, such as EADDRINUSE.
 */
export async function startOperatorListener(
  { metrics, dependencies, alive }: OperatorDeps,
  options: { host: string; port: number },
): Promise<OperatorListener> {
  let draining = false;
  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    "/metrics": async (response) => {
      response.setHeader("content-type", metrics.contentType).end(await metrics.scrape());
    },
    "/healthz": async (response) => {
      if (alive?.() ?? true) send(response, 200, { status: "ok" });
      else send(response, 503, { status: "unavailable", reason: "stuck" });
    },
    "/readyz": async (response) => {
      if (draining) return send(response, 503, { status: "unavailable", reason: "shutting down" });
      const { failed, degraded } = await dependencies.check();
      const failures = [...failed, ...degraded];
      if (failures.length === 0) return send(response, 200, { status: "ok" });
      const isReady = failed.length === 0;
      const status = isReady ? "degraded" : "unavailable";
      const reasons = failures.map(
        (each) => `${each.dependency} at ${each.address} fails since ${each.since}: ${each.reason}`,
      );
      send(response, isReady ? 200 : 503, { status, reason: reasons.join("; "), failures });
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split("?")[0] ?? ""];
    if (!answer) {
      response.writeHead(404).end();
      return;
    }
    answer(response).catch((error: Error) => send(response, 503, { status: "unavailable", reason: error.message }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    drain: () => {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: 200 | 503, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
}
