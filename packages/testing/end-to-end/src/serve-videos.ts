import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on 127.0.0.1 that a `video_url` can name. */
export type VideoServer = AsyncDisposable & { readonly host: string; readonly url: string };

/** Starts a web server of videos, by default on any free port. */
export async function serveVideos(answer: RequestListener, port = 0): Promise<VideoServer> {
  const server = createServer(answer).listen(port, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
