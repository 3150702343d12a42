import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, type Socket, Server as TcpServer } from "node:net";
import { Problem } from "@video-to-json/contract";
import { endUnread } from "./end-unread.ts";
import { securityHeaders } from "./security-headers.ts";
import { openTurns, type Turns } from "./take-turns.ts";

type Options = {
  host: string;
  port: number;
  publicUrl: string | undefined;
  /** Most connections at a time; more are hung up on. */
  maxConnections: number;
  /** Longest that the head of a request may take to arrive. */
  headersTimeoutSeconds: number;
  uploadTimeoutSeconds: number;
};

/** The API's own listener. */
export type Listener = {
  port: number;
  /** Stops accepting, waits for every answer in hand, and hangs up on connections that were idle for `idleMs`. */
  close(idleMs: number): Promise<void>;
};

const maxHeaderBytes = 16 * 1024;
const longestLingerMs = 5000;

/** Serves an app over HTTP with the time limits that uploads and long waits need. */
export async function listen(app: RequestListener, options: Options): Promise<Listener> {
  const turns = openTurns(app);
  const server = createServer(
    {
      requestTimeout: options.uploadTimeoutSeconds * 1000,
      headersTimeout: Math.min(options.headersTimeoutSeconds, options.uploadTimeoutSeconds) * 1000,
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 75_000,
      maxHeaderSize: maxHeaderBytes,
      requireHostHeader: false,
    },
    turns.serve,
  );
  server.on("connection", endUnread);
  server.maxConnections = options.maxConnections;
  // Answering before `100 Continue` spares a refused caller the upload; the route sends it when it wants the body.
  server.on("checkContinue", (request, response) => {
    response.shouldKeepAlive = false;
    (response as unknown as { locals: object }).locals = { expectsContinue: true };
    turns.serve(request, response);
  });
  // Expectations that nobody knows may be passed over; Node would refuse them without an Error body.
  server.on("checkExpectation", turns.serve);
  const refuse = refuser(options.publicUrl, turns);
  server.on("connect", (_request, socket: Socket) => refuse(new Error("CONNECT"), socket));
  server.on("clientError", (error, socket: Socket) => refuse(error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: (idleMs) => closeGently(server, idleMs) };
}

/**
 * What is no HTTP request at all still gets our Error body, under the headers of every answer; behind a request whose
 * answer is in hand it gets none, since that would be taken for the answer, or be written into it.
 */
function refuser(publicUrl: string | undefined, turns: Turns): (error: NodeJS.ErrnoException, socket: Socket) => void {
  const always = Object.entries(securityHeaders(publicUrl)).map(([name, value]) => `${name}: ${value}\r\n`);
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    // What still comes after that is no request either. It is read and thrown away: closing at once would reset the
    // connection and lose the answer.
    if (answered.has(socket) && error.code !== "ERR_HTTP_REQUEST_TIMEOUT") return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    // Node's own way would close at once.
    socket.destroySoon = () => hangUp(socket);
    if (turns.endAfterAnswer(socket, () => hangUp(socket))) return;
    const problem = new Problem("invalid_request", reasons[error.code ?? ""] ?? "This is no HTTP request. Correct it.");
    const body = JSON.stringify({ error: problem.toInside() });
    hangUp(
      socket,
      `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n${always.join("")}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

/** Ends a connection, with some last words, and throws away for a while what still comes. */
function hangUp(socket: Socket, words = ""): void {
  if (!socket.writable) return;
  const cut = setTimeout(() => socket.destroy(), longestLingerMs);
  socket.resume().once("close", () => clearTimeout(cut));
  socket.end(words);
}

const reasons: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it again.",
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderBytes / 1024} KiB. Send fewer or shorter ones.`,
};

function closeGently(server: Server, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined;
    const late = setTimeout(() => {
      sweep = setInterval(() => afterArrivals(() => server.closeIdleConnections()), 100);
    }, idleMs);
    afterArrivals(() => {
      // The HTTP server's own `close` would hang up at once on idle connections, with requests on their way to us, and
      // would give up the time limits of those that stay.
      TcpServer.prototype.close.call(server, () => {
        clearTimeout(late);
        clearInterval(sweep);
        // Ends the time limits; there is nothing left to close.
        server.close();
        resolve();
      });
    });
  });
}

/** Runs right after the process has taken in what had arrived: who came before that is not turned away. */
function afterArrivals(run: () => void): void {
  setImmediate(run);
}
