import { readFile } from "node:fs/promises";
import { borrowService } from "@video-to-json/stack/service";
import { serveLocally } from "./serve-locally.ts";

/**
 * Borrows a service, and starts a server that returns its short video for any path, so that calls can have distinct
 * URLs.
 *
 * @param freeSeconds the seconds of the account
 */
export async function borrowMcpService({ freeSeconds }: { freeSeconds?: number } = {}) {
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await borrowService({ freeSeconds }));
  const clip = await readFile(service.video);
  const site = starting.use(await serveLocally((_request, response) => response.end(clip), service.sitePort));
  const parts = starting.move();
  return {
    ...service,
    videoUrl: (name: string) => `${site.url}/${name}.mp4`,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** A service for MCP tests. */
export type McpService = Awaited<ReturnType<typeof borrowMcpService>>;
