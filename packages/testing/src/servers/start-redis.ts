import { localRedis } from "./local-redis.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startLocalServer } from "./start-local-server.ts";

/** Starts a Redis of one's own, empty unless its `dataDir` holds something, and waits until it answers. */
export async function startRedis(options: ServerOptions = {}): Promise<Server> {
  const local = localRedis();
  if (local) return startLocalServer(local, options);
  throw new Error("There is no redis-server here. Run ./scripts/setup, then try again.");
}
