import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

type Options = {
  host: string;
  /** 0 takes a free one. */
  port: number;
  registry: Registry;
  /** Rejects while the process cannot do its work; the message says why. */
  ready(): Promise<void>;
  /** Whether the process still moves; false lets an orchestrator restart it. */
  alive?(): boolean;
};

/** The operator's own listener. `drain` makes /readyz answer 503 while requests in hand are still answered. */
export type OperatorListener = { url: string; drain(): void; close(): Promise<void> };

const longestCheckMs = 2000;

/** Starts the operator's listener: `/metrics` (Prometheus text), `/healthz` (alive) and `/readyz` (able to work). */
export async function startOperatorListener(options: Options): Promise<OperatorListener> {
  let draining = false;
  const answers: Record<string, (response: ServerResponse) => Promise<void>> = {
    "/metrics": async (response) => {
      response.setHeader("content-type", options.registry.contentType).end(await options.registry.metrics());
    },
    "/healthz": async (response) => {
      send(response, (options.alive?.() ?? true) ? undefined : "stuck");
    },
    "/readyz": async (response) => {
      send(response, draining ? "shutting down" : await fault(options.ready()));
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url?.split("?")[0] ?? ""];
    if (!answer) {
      response.writeHead(404).end();
      return;
    }
    answer(response).catch((error: Error) => send(response, error.message));
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

async function fault(check: Promise<void>): Promise<string | undefined> {
  const late = AbortSignal.timeout(longestCheckMs);
  const expired = new Promise<string>((resolve) => {
    late.addEventListener("abort", () => resolve(`no answer within ${longestCheckMs} ms`), { once: true });
  });
  return Promise.race([
    check.then(
      () => undefined,
      (error: Error) => error.message || error.name,
    ),
    expired,
  ]);
}

function send(response: ServerResponse, problem: string | undefined): void {
  response.writeHead(problem ? 503 : 200, { "content-type": "application/json" });
  response.end(`${JSON.stringify(problem ? { status: "unavailable", reason: problem } : { status: "ok" })}\n`);
}
