import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Problem } from "@video-to-json/contract";

type Options = { host: string; port: number; uploadTimeoutSeconds: number };

/** The API's own listener: its port, and a `close` that stops accepting and waits for every answer in hand. */
export type Listener = { port: number; close(): Promise<void> };

/** Serves an app over HTTP with the time limits that uploads and long waits need. */
export async function listen(app: RequestListener, options: Options): Promise<Listener> {
  const server = createServer(
    {
      requestTimeout: options.uploadTimeoutSeconds * 1000,
      headersTimeout: 15_000,
      keepAliveTimeout: 75_000,
      requireHostHeader: false,
    },
    app,
  );
  // Answering before `100 Continue` spares a refused caller the upload; the route sends it when it wants the body.
  server.on("checkContinue", (request, response) => {
    response.shouldKeepAlive = false;
    (response as unknown as { locals: object }).locals = { expectsContinue: true };
    app(request, response);
  });
  // Expectations that nobody knows may be passed over; Node would refuse them without an Error body.
  server.on("checkExpectation", app);
  server.on("connect", (_request, socket: Socket) => refuse(new Error("CONNECT"), socket));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeGently(server) };
}

/** What is no HTTP request at all still gets our Error body. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const late = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const problem = new Problem(
    "invalid_request",
    late ? "The request took too long to arrive. Send it again." : "This is no HTTP request. Correct it.",
  );
  const body = JSON.stringify({ error: problem.toInside() });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function closeGently(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A kept-alive connection falls idle only once its answer is out.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
