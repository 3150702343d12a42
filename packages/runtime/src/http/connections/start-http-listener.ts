import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, type Socket, Server as TcpServer } from "node:net";
import { httpRefusalOf } from "./ambiguous-request.ts";
import { closeSlowReaders } from "./close-slow-readers.ts";
import { malformedRequestHandler, maxHeaderBytes } from "./reject-malformed.ts";
import { serializePipelined } from "./serialize-pipelined.ts";

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
