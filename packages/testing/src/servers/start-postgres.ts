import { localPostgres } from "./local-postgres.ts";
import type { Server, ServerOptions } from "./server.ts";
import { startLocalServer } from "./start-local-server.ts";

/** Starts a Postgres of one's own, empty unless its `dataDir` holds something, and waits until it answers. */
export async function startPostgres(options: ServerOptions = {}): Promise<Server> {
  const local = localPostgres();
  if (local) return startLocalServer(local, options);
  throw new Error("There is no Postgres server here. Run ./scripts/setup, then try again.");
}
