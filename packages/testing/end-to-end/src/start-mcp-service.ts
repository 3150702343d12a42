import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { startService } from "@video-to-json/stack/service";
import { freePort } from "@video-to-json/testing";

/** Starts the whole service, and a server that returns its short video for any path, so that calls can have distinct URLs. */
export async function startMcpService(env: Record<string, string> = {}) {
  const port = await freePort();
  await using starting = new AsyncDisposableStack();
  const service = starting.use(
    await startService({ env: { FETCH_ALLOW_HOSTS: `127.0.0.1:${port}`, WORKER_CONCURRENCY: "6", ...env } }),
  );
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
export type McpService = Awaited<ReturnType<typeof startMcpService>>;
