import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@video-to-json/testing/running";
import type { ChaosVideo } from "./videos.ts";

/** Serves the videos: `/<name>`, `/slow/<name>` slowly, `/cut/<name>` incompletely. Other paths get 404. */
export type FileServer = { hostPort: string; url: string; close(): Promise<void> };

/** Starts a file server on 127.0.0.1. */
export async function serveFiles(videos: readonly ChaosVideo[]): Promise<FileServer> {
  const port = await freePort();
  const hostPort = `127.0.0.1:${port}`;
  const server = createServer(async (request, response) => {
    const [name = "", manner = ""] = (request.url ?? "").split("/").reverse();
    const bytes = videos.find((video) => video.name === name)?.bytes;
    if (!bytes) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes.length });
    const half = Math.floor(bytes.length / 2);
    if (manner === "") return void response.end(bytes);
    response.write(bytes.subarray(0, half));
    await sleep(500);
    if (manner === "cut") response.destroy();
    else response.end(bytes.subarray(half));
  });
  server.on("clientError", (_error, socket) => socket.destroy());
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    hostPort,
    url: `http://${hostPort}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
