import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement } from "@video-to-json/media";
import { type ControlDeps, createJournal, handleControl } from "./control/control.ts";
import { createWatcher } from "./evidence/watcher.ts";
import { createFaultPlan, type FaultDeps, injectFault } from "./faults/faults.ts";
import { createFileStore } from "./files/files.ts";
import type { Options } from "./options.ts";
import { ConnectionLost, type Exchange, header, type Reply, replyToError, send } from "./protocol/exchange.ts";
import { answerRoute, type RouteDeps } from "./routes.ts";

/** A running emulator. */
export type RunningEmulator = {
  url: string;
  /** Closes every connection, aborts all work and deletes the uploaded files. */
  close(): Promise<void>;
};

/** Starts an emulator and waits until it listens. `log` receives lines about internal errors. */
export async function startEmulator(options: Options, log: (line: string) => void): Promise<RunningEmulator> {
  const base = options.dataDir ?? tmpdir();
  await mkdir(base, { recursive: true });
  const dir = await mkdtemp(join(base, "emulator-"));
  const closing = new AbortController();
  const journal = createJournal();
  const watcher = createWatcher(() => findConfinement({ programs: ["ffmpeg"] }), options.evidenceDir);
  const faults = createFaultPlan();
  faults.replace(options.faults);
  const files = createFileStore({ watcher, processingMs: options.processingMs });
  const deps: RouteDeps & ControlDeps & FaultDeps = {
    ...{ files, watcher, faults, journal, dir },
    modelErrors: { current: options.modelErrors },
    closing: closing.signal,
    uploads: new Map(),
  };

  async function answer(exchange: Exchange): Promise<Reply> {
    if (exchange.url.pathname.startsWith("/control/")) return handleControl(deps, exchange);
    return answerRoute(deps, exchange);
  }

  const server = createServer((request, response) => void respond(request, response, deps, answer, log));
  // A slow upload must not time out, and callers keep their connections open between the steps of a job.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const file of files.all()) file.stop();
      await closed;
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  deps: FaultDeps,
  answer: (exchange: Exchange) => Promise<Reply>,
  log: (line: string) => void,
): Promise<void> {
  response.on("error", () => {});
  const { socket } = request;
  try {
    const origin = `http://${header(request, "host") ?? "localhost"}`;
    const url = new URL(request.url ?? "/", "http://localhost");
    const exchange: Exchange = {
      request,
      url,
      origin,
      params: [],
      injectFault: (operation, facts = {}) => injectFault(deps, request, operation, facts),
    };
    const reply = await answer(exchange).catch((error: unknown) => {
      if (error instanceof ConnectionLost) throw error;
      return replyToError(error, log);
    });
    await drain(request);
    send(response, reply);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) log(`request failed without a reply: ${String(error)}`);
    else if (error.partial) return send(response, error.partial.reply, error.partial.bytes);
    // `request.destroy()` would leave the connection open once the body has been read.
    socket.destroy();
  }
}

/** Reads the rest of the body: a reply that is sent before the end of the body may not reach the caller. */
async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request
      .once("end", resolve)
      .once("close", resolve)
      .once("error", () => resolve());
    request.resume();
  });
}
