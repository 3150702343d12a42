import { containerPostgres } from "../containers/container-postgres.ts";
import { localPostgres } from "./local-postgres.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startServer } from "./start-server.ts";

/** Starts a Postgres of one's own, empty unless its `dataDir` holds something, and waits until it answers. */
export function startPostgres(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localPostgres(), container: containerPostgres }, options);
}
