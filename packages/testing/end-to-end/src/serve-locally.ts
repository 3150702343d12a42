import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on 127.0.0.1. */
export type LocalServer = AsyncDisposable & { readonly host: string; readonly url: string };

/** Starts a web server on 127.0.0.1, by default on any free port. */
export async function serveLocally(answer: RequestListener, port = 0): Promise<LocalServer> {
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
