import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createProxy, type Socket } from "node:net";

/** A web server on 127.0.0.1. */
export type WebServer = AsyncDisposable & { readonly host: string; readonly url: string };

/** Starts a web server on 127.0.0.1, by default on any free port. */
export async function serveLocally(answer: RequestListener, port = 0): Promise<WebServer> {
  const server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Starts a loopback proxy that cuts its first connection after a number of bytes, and all connections on demand. Like a
 * name that moves, it leads new connections to another server on demand.
 */
export async function startCuttingProxy(target: string, cutAfterBytes = Number.POSITIVE_INFINITY) {
  let { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let connections = 0;
  const server = createProxy((near) => {
    connections += 1;
    let left = connections === 1 ? cutAfterBytes : Number.POSITIVE_INFINITY;
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on("error", () => {})
        .once("close", () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.on("data", (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) cut(near, far);
    });
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    cutAll: () => cut(...open),
    leadTo(next: string) {
      ({ hostname, port } = new URL(next));
    },
    async [Symbol.asyncDispose]() {
      cut(...open);
      server.close();
      await once(server, "close");
    },
  };
}

function cut(...sockets: Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
