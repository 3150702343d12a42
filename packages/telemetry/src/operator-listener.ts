import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { withTimeLimit } from "@video-to-json/timing";
import type { Registry } from "prom-client";

type Options = {
  host: string;
  /** 0 means any free port. */
  port: number;
  registry: Registry;
  /** Rejects while the process cannot work. The message says why. */
  ready(): Promise<void>;
  /** Returns false if the process is stuck and should be restarted. */
  alive?(): boolean;
};

export type OperatorListener = {
  url: string;
  /** Makes /readyz answer 503, so that the process gets no new work. */
  drain(): void;
  close(): Promise<void>;
};

const maxCheckMs = 2000;

/**
 * Starts the HTTP listener for the operator: `/metrics` (Prometheus text), `/healthz` (liveness) and `/readyz`
 * (readiness).
 *
 * @throws the error of `listen`, such as EADDRINUSE.
 */
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
      send(response, draining ? "shutting down" : await failureOf(options.ready()));
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

/** Returns why a check failed; undefined if it succeeded. */
async function failureOf(check: Promise<void>): Promise<string | undefined> {
  try {
    await withTimeLimit(maxCheckMs, "The readiness check", check);
    return undefined;
  } catch (error) {
    const { message, name } = error as Error;
    return message || name;
  }
}

function send(response: ServerResponse, problem: string | undefined): void {
  response.writeHead(problem ? 503 : 200, { "content-type": "application/json" });
  response.end(`${JSON.stringify(problem ? { status: "unavailable", reason: problem } : { status: "ok" })}\n`);
}
