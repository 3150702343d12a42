import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { isJsonObject } from "@video-to-json/contract";
import type { DialectName } from "./chat/dialects.ts";
import { chatModels, handleChat } from "./chat/handle-chat.ts";
import { handleControl } from "./control/control.ts";
import { injectFault, type Operation } from "./faults/faults.ts";
import { handleFile, handleListFiles } from "./files/files.ts";
import { handleGenerate } from "./generate/handle-generate.ts";
import type { Options } from "./options.ts";
import {
  authenticate,
  ConnectionLost,
  type Exchange,
  header,
  invalidArgument,
  notFoundPage,
  type Reply,
  replyToError,
  send,
} from "./protocol/exchange.ts";
import { formFaults } from "./protocol/message.ts";
import { replies } from "./protocol/tables.ts";
import { createState, type State } from "./state.ts";
import { continueUpload, startUpload, uploadOperation } from "./uploads/upload.ts";
import { createVertex, type Vertex } from "./vertex/handle-vertex.ts";

/** Starts an emulator and waits until it listens. `log` receives lines about internal errors. */
export async function startEmulator(options: Options, log: (line: string) => void) {
  const base = options.dataDir ?? tmpdir();
  await mkdir(base, { recursive: true });
  const dir = await mkdtemp(join(base, "emulator-"));
  const closing = new AbortController();
  const state = createState(options, dir, closing.signal);
  const vertex = options.as === "vertex" ? createVertex() : undefined;

  const server = createServer((request, response) => void respond(request, response, state, log, vertex));
  // A slow upload must not time out, and callers keep their connections open between the steps of a job.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 65_000;
  await once(server.listen(options.port, options.host), "listening");
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    /** Closes every connection, aborts all work and deletes the uploaded files. */
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      for (const file of state.files.all()) file.stop();
      await closed;
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
  log: (line: string) => void,
  vertex: Vertex | undefined,
): Promise<void> {
  response.on("error", () => {});
  const { socket } = request;
  try {
    const exchange: Exchange = {
      request,
      url: new URL(request.url ?? "/", "http://localhost"),
      origin: `http://${header(request, "host") ?? "localhost"}`,
      params: [],
      injectFault: (operation, facts = {}) => injectFault(state, request, operation, facts),
    };
    const reply = await answer(state, exchange, vertex).catch((error: unknown) => {
      if (error instanceof ConnectionLost) throw error;
      return replyToError(error, log);
    });
    // A reply that is sent before the end of the body may not reach the caller.
    if (!request.complete && !request.destroyed) await finished(request.resume()).catch(() => {});
    send(response, reply);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) log(`request failed without a reply: ${String(error)}`);
    else if (error.partial) return send(response, error.partial.reply, error.partial.bytes);
    // `request.destroy()` would leave the connection open once the body has been read.
    socket.destroy();
  }
}

type Handle = (state: State, exchange: Exchange, owner: string) => Promise<Reply> | Reply;
type Route = { method: string; path: RegExp; operation: Operation; handle: Handle };

const routes: readonly Route[] = [
  { method: "GET", path: /^\/v1(?:beta)?\/files$/, operation: "list", handle: handleListFiles },
  { method: "GET", path: /^\/v1(?:beta)?\/files\/([^/]+)$/, operation: "get", handle: handleFile },
  { method: "DELETE", path: /^\/v1(?:beta)?\/files\/([^/]+)$/, operation: "delete", handle: handleFile },
  {
    method: "POST",
    path: /^\/(v1(?:beta)?)\/models\/([^/:]+):generateContent$/,
    operation: "generate",
    handle: handleGenerate,
  },
];

async function answer(state: State, exchange: Exchange, vertex: Vertex | undefined): Promise<Reply> {
  const { request, url } = exchange;
  if (vertex && !/^\/control\/(?:faults|errors|state|wait)$/.test(url.pathname)) return vertex(state, exchange);
  if (url.pathname.startsWith("/control/")) return handleControl(state, exchange);
  if (state.as !== "gemini" && state.as !== "vertex") return answerChat(state, exchange, state.as);
  const count = (operation: Operation) => {
    state.journal.requests[operation] += 1;
  };
  const owner = () => authenticate(request, url);
  if (/^\/upload\/v1(?:beta)?\/files$/.test(url.pathname)) {
    const isStarted = url.searchParams.has("upload_id");
    if (!["POST", ...(isStarted ? ["PUT"] : [])].includes(request.method ?? "")) return notFoundPage;
    count(isStarted ? uploadOperation(exchange) : "start");
    if (isStarted) return checked("chunk", await continueUpload(state, exchange));
    const key = owner();
    const protocol = header(request, "x-goog-upload-protocol")?.toLowerCase();
    if (protocol === "resumable") return startUpload(state, exchange, key);
    throw invalidArgument(`Unsupported upload protocol: ${protocol ?? "none"}.`);
  }
  const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname));
  if (!route) return notFoundPage;
  count(route.operation);
  const params = (route.path.exec(url.pathname) ?? []).slice(1);
  return checked(route.operation, await route.handle(state, { ...exchange, params }, owner()));
}

async function answerChat(state: State, exchange: Exchange, name: DialectName): Promise<Reply> {
  const { request, url } = exchange;
  switch (`${request.method} ${url.pathname}`) {
    case "GET /v1/models":
      return { status: 200, json: { object: "list", data: chatModels.map((id) => ({ id, object: "model" })) } };
    case "POST /v1/chat/completions":
      state.journal.requests.generate += 1;
      return handleChat(state, exchange, name);
    default:
      return notFoundPage;
  }
}

/** Throws if a reply has another form than Gemini's. */
function checked(operation: Operation, reply: Reply): Reply {
  const table = Object.hasOwn(replies, operation) ? replies[operation as keyof typeof replies] : undefined;
  const faults = table && isJsonObject(reply.json) ? formFaults(table, reply.json) : [];
  if (faults.length > 0) throw new Error(`The reply to ${operation} has another form than Gemini's: ${faults}`);
  return reply;
}
