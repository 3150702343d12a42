import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { borrowService } from "@video-to-json/stack/service";

/**
 * Borrows a service, and starts a server that returns its short video for any path, so that calls can have distinct
 * URLs.
 *
 * @param freeSeconds the seconds of the account
 */
export async function borrowMcpService({ freeSeconds }: { freeSeconds?: number } = {}) {
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await borrowService({ freeSeconds }));
  const port = service.sitePort;
  const clip = await readFile(service.video);
  const videos = createServer((_request, response) => response.end(clip)).listen(port, "127.0.0.1");
  await once(videos, "listening");
  starting.defer(() => {
    videos.closeAllConnections();
    videos.close();
  });
  const parts = starting.move();
  return {
    ...service,
    videoUrl: (name: string) => `http://127.0.0.1:${port}/${name}.mp4`,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A service for MCP tests. */
export type McpService = Awaited<ReturnType<typeof borrowMcpService>>;
