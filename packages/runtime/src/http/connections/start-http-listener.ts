import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, type Socket, Server as TcpServer } from "node:net";
import { Problem } from "@video-to-json/contract";
import type { Request, RequestHandler, Response } from "express";
import { type PipelineSerializer, serializePipelined } from "./serialize-pipelined.ts";

/** Why a request is refused before the app sees it. */
type HttpRefusal = {
  readonly status: "400 Bad Request" | "408 Request Timeout" | "501 Not Implemented";
  readonly reason: string;
};

const onlyOnce = ["host", "authorization"];

/**
 * Returns why a request is ambiguous, so that it must be refused (RFC 9112, 2.3, 3.2 and 6.1): a header that must occur
 * once occurs twice, the transfer coding is not plain `chunked`, or the version is not HTTP/1. Returns undefined for
 * every other request.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-11.2
 */
function httpRefusalOf({ rawHeaders, headers, httpVersionMajor }: IncomingMessage): HttpRefusal | undefined {
  if (httpVersionMajor !== 1) {
    return { status: "400 Bad Request", reason: "The version in the request line is not HTTP/1.1. Send HTTP/1.1." };
  }
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = onlyOnce.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    return { status: "400 Bad Request", reason: `The request has the header \`${twice}\` twice. Send it once.` };
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") {
    const reason = "The transfer coding of the request is not supported. Send `chunked`, or a Content-Length.";
    return { status: "501 Not Implemented", reason };
  }
  return undefined;
}

const maxHeaderBytes = 16 * 1024;
const maxLingerMs = 5000;

/**
 * Answers requests that are rejected before the app sees them (malformed and ambiguous requests, CONNECT, late heads)
 * with our Error body and `headers`. While a response to an earlier request is in flight, it sends nothing, because the
 * client would take the error for that response, or find it in the middle.
 */
function malformedRequestHandler(
  headers: Readonly<Record<string, string>>,
  pipeline: Pick<PipelineSerializer, "endAfterResponse">,
): (error: NodeJS.ErrnoException, socket: Socket, refusal?: HttpRefusal) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket, refusal = refusalFor(error)) => {
    // Everything after the error is malformed too. It is discarded, because closing at once would reset the connection.
    if (answered.has(socket) && error.code !== "ERR_HTTP_REQUEST_TIMEOUT") return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    // Node calls this after the last response, and its own version closes at once.
    socket.destroySoon = () => endAndDiscard(socket);
    if (pipeline.endAfterResponse(socket, () => endAndDiscard(socket))) return;
    const { status, reason } = refusal;
    const problem = new Problem("invalid_request", { reason });
    const body = JSON.stringify({ error: problem.toInside() });
    const lines = Object.entries({ ...headers, ...problem.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    endAndDiscard(
      socket,
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n${lines.join("")}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

/** Sends `response`, ends our side of the connection, and discards incoming data for up to five seconds. */
function endAndDiscard(socket: Socket, response = ""): void {
  if (!socket.writable) return;
  const timer = setTimeout(() => socket.destroy(), maxLingerMs);
  socket.resume().once("close", () => clearTimeout(timer));
  socket.end(response);
}

function refusalFor({ code = "" }: NodeJS.ErrnoException): HttpRefusal {
  const status = code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request";
  return { status, reason: reasons[code] ?? "The request is not valid HTTP. Correct it." };
}

const reasons: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it again.",
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderBytes / 1024} KiB. Send fewer or shorter ones.`,
};

/** How often progress is checked. A client that reads nothing loses its connection after one to two intervals. */
export const slowReaderCheckMs = 30_000;

/**
 * Closes a connection whose client has stopped reading while response bytes wait in our memory. A client that reads a
 * little now and then gets the whole response, and a connection whose response is not ready may wait for any time.
 */
function closeSlowReaders(socket: Socket): void {
  let before: number | undefined;
  const timer = setInterval(() => {
    const now = socket.writableLength > 0 ? bytesTaken(socket) : undefined;
    if (now !== undefined && now === before) socket.destroy();
    before = now;
  }, slowReaderCheckMs);
  timer.unref();
  socket.once("close", () => clearInterval(timer));
}

/**
 * The number of bytes that the operating system has taken. `socket.setTimeout` uses the same numbers, but restarts with
 * every byte that the client sends, and no public property has them: `bytesWritten` counts queued bytes too.
 */
function bytesTaken(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as {
    _handle?: { bytesWritten: number; writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined;
}

type Options = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The headers of every response, for errors that are sent before the app sees the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The most connections at a time. The next one is closed. */
  readonly maxConnections: number;
  /** The longest time in which the head of a request may arrive. */
  readonly headersTimeoutSeconds: number;
  /** The longest time in which a whole request may arrive. */
  readonly uploadTimeoutSeconds: number;
};

/** A running HTTP server. */
export type HttpListener = {
  readonly port: number;
  /** Stops accepting connections, closes idle ones after `idleMs`, and resolves when the last response is complete. */
  close(idleMs: number): Promise<void>;
};

/**
 * How long a connection may be silent before the operating system checks whether its client is still there, in
 * milliseconds.
 */
const tcpKeepAliveMs = 30_000;

/**
 * Serves an app over HTTP under the limits that packages/runtime/src/http/README.md explains.
 *
 * @example
 * const limits = { maxConnections: 10_000, headersTimeoutSeconds: 20, uploadTimeoutSeconds: 3_600 };
 * const listener = await startHttpListener(app, { host: "0.0.0.0", port: 3000, headers: securityHeaders(), ...limits });
 * await listener.close(5_000);
 */
export async function startHttpListener(app: RequestListener, options: Options): Promise<HttpListener> {
  const pipeline = serializePipelined(app);
  const reject = malformedRequestHandler(options.headers, pipeline);
  const serve: RequestListener = (request, response) => {
    const refusal = httpRefusalOf(request);
    if (!refusal) return pipeline.serve(request, response);
    request.resume();
    reject(new Error("ambiguous request"), request.socket, refusal);
  };
  const server = createServer(
    {
      requestTimeout: options.uploadTimeoutSeconds * 1000,
      headersTimeout: Math.min(options.headersTimeoutSeconds, options.uploadTimeoutSeconds) * 1000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 75_000,
      keepAlive: true,
      keepAliveInitialDelay: tcpKeepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
    },
    serve,
  );
  server.on("connection", closeSlowReaders);
  server.maxConnections = options.maxConnections;
  // The app sends `100 Continue` when it wants the body, so a client that is refused does not upload.
  server.on("checkContinue", (request, response) => {
    response.shouldKeepAlive = false;
    (response as unknown as { locals: object }).locals = { expectsContinue: true };
    serve(request, response);
  });
  // HTTP allows a server to ignore unknown expectations. Node would refuse them without our Error body.
  server.on("checkExpectation", serve);
  server.on("connect", (_request, socket: Socket) => reject(new Error("CONNECT"), socket));
  server.on("clientError", (error, socket: Socket) => reject(error, socket));
  await new Promise<void>((resolve, fail) => {
    server.once("error", fail).listen({ port: options.port, host: options.host, backlog }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: (idleMs) => closeServer(server, idleMs) };
}

/** How many connections may wait to be accepted: Linux's default maximum. Node's default is 511. */
const backlog = 4096;

/**
 * Node's own `server.close` closes idle connections at once, while requests may be on their way to us, and stops
 * enforcing the time limits on the other connections. This keeps both until the last connection has ended.
 */
function closeServer(server: Server, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const idle = setTimeout(() => {
      timer = setInterval(() => afterPendingReads(() => server.closeIdleConnections()), 100);
    }, idleMs);
    afterPendingReads(() => {
      TcpServer.prototype.close.call(server, () => {
        clearTimeout(idle);
        clearInterval(timer);
        // No connection is left, so this ends the timer of the time limits.
        server.close();
        resolve();
      });
    });
  });
}

/**
 * Runs `work` after the process has read the data that has arrived, so that no request in a receive buffer is cut off.
 */
function afterPendingReads(work: () => void): void {
  setImmediate(work);
}

/**
 * Delivers a response that is complete before the request body has arrived, such as the refusal of a bad key. Closing
 * at once would reset the connection, and the client would lose the response. The rest of the body is read and
 * discarded for up to five seconds; then the connection is closed.
 *
 * @see https://nginx.org/en/docs/http/ngx_http_core_module.html#lingering_close
 */
export const lingeringClose: RequestHandler = (request, response, next) => {
  const closes = postponeClose(request, response);
  response.once("finish", () => {
    if (request.destroyed) return;
    if (request.complete) {
      if (closes) request.socket.destroySoon();
      return;
    }
    const timer = setTimeout(() => request.socket.destroy(), maxLingerMs);
    timer.unref();
    request.once("close", () => clearTimeout(timer));
    if (closes) request.once("end", () => request.socket.destroySoon());
    request.resume();
  });
  next();
};

/** Stops Node from closing the connection before the body has arrived. Returns whether the client asked to close. */
function postponeClose(request: Request, response: Response): boolean {
  // A client that waits for `100 Continue` sends nothing.
  if (response.shouldKeepAlive || request.complete || response.locals.expectsContinue) return false;
  response.shouldKeepAlive = true;
  request.once("end", () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  });
  return true;
}
