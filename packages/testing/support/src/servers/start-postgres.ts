import { containerPostgres } from "../containers/container-postgres.ts";
import { localPostgres } from "./local-postgres.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startServer } from "./start-server.ts";

/** Starts a Postgres and waits until it answers. It is empty unless its `dataDir` contains data. */
export function startPostgres(options: ServerOptions = {}): Promise<Server> {
  return startServer({ local: localPostgres(), container: containerPostgres }, options);
}
