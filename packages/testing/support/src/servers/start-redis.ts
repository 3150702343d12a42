import { containerRedis } from "../containers/container-redis.ts";
import { localRedis } from "./local-redis.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startServer } from "./start-server.ts";

/** Starts a Redis of one's own, empty unless its `dataDir` holds something, and waits until it answers. */
export function startRedis(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localRedis(), container: containerRedis }, options);
}
