import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement } from "@video-to-json/media";
import { createModelErrors } from "./answer/errors/model-errors.ts";
import { type ControlDeps, handleControl } from "./control/control.ts";
import { createJournal } from "./control/journal.ts";
import { createWatcher } from "./evidence/watcher.ts";
import { createFaultPlan } from "./faults/fault-plan.ts";
import { type FaultDeps, injectFault } from "./faults/inject-fault.ts";
import { createFileStore } from "./files/file-store.ts";
import { knownModels } from "./generate/models.ts";
import type { Options } from "./options.ts";
import { type Exchange, header } from "./protocol/exchange.ts";
import { ConnectionLost, notFoundPage, type Reply, replyToError, send } from "./protocol/reply.ts";
import { findRoute, type RouteDeps } from "./routes.ts";
import { createUploadSessions } from "./uploads/upload-sessions.ts";

/** Gemini deletes a file after 48 hours. */
const fileLifetimeMs = 48 * 3600 * 1000;

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
  const modelErrors = createModelErrors(options.modelErrors);
  const { processingMs, apiKey } = options;
  const files = createFileStore({
    watcher,
    processingMs,
    lifetimeMs: fileLifetimeMs,
    onChange: journal.changed,
    now: () => new Date(),
  });
  const deps: RouteDeps & ControlDeps & FaultDeps = {
    files,
    watcher,
    faults,
    modelErrors,
    journal,
    dir,
    apiKey,
    closing: closing.signal,
    uploads: createUploadSessions({ dir, onChange: journal.changed }),
    models: knownModels(options.models),
    budget: { states: options.schemaStates, depth: options.schemaDepth },
    onBytes: journal.addUploadedBytes,
  };

  async function answer(exchange: Exchange): Promise<Reply> {
    if (exchange.url.pathname.startsWith("/control/")) return handleControl(deps, exchange);
    const found = findRoute(exchange.request.method, exchange.url);
    if (!found) return notFoundPage;
    const operation = found.route.operation(exchange);
    if (operation) journal.count(operation);
    return found.route.handle(deps, { ...exchange, params: found.params });
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
      files.stop();
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
