import { containerRedis } from "../containers/container-redis.ts";
import { localRedis } from "./local-redis.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startServer } from "./start-server.ts";

/** Starts a Redis and waits until it answers. It is empty unless its `dataDir` contains data. */
export function startRedis(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localRedis(), container: containerRedis }, options);
}
