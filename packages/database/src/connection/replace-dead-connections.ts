import { withTimeLimit } from "@video-to-json/runtime/timing";
import type { Sql } from "postgres";

type Silence = ReturnType<Sql["silences"]>[number];

type Limits = {
  /**
   * How long a connection may be silent while it waits for an answer, before the server is asked about it, in
   * milliseconds.
   */
  silentMs: number;
  /** The interval between two checks, in milliseconds. */
  everyMs: number;
  /** How long the server may take to answer a check, in milliseconds. */
  probeMs: number;
  /** Called with the number of connections that were closed. */
  onReplaced?: ((count: number) => void) | undefined;
};

const defaults: Limits = { silentMs: 2000, everyMs: 1000, probeMs: 3000 };
// A long statement may take this long to reach the server.
const slowestBytesPerMs = 8;

/**
 * Closes connections that a firewall or a silent network has killed, so that their queries reject within seconds and
 * new connections replace them. A statement that is slow or waits for a lock is not affected, because the server says
 * on another connection which statements it still executes. A connection counts as dead when the server says twice that
 * it executes nothing for it. All idle connections are then closed too, because the first statement on each would lose
 * the same time.
 *
 * @param probe a pool with one connection to the same server, used only while a connection is silent.
 * @returns a function that ends the watch.
 */
export function replaceDeadConnections(client: Sql, probe: Sql, limits: Partial<Limits> = {}): () => void {
  const { silentMs, everyMs, probeMs, onReplaced } = { ...defaults, ...limits };
  /**
   * The silent connections for which the server executed nothing at the last check, with the start of their silence.
   */
  let doubted = new Map<number, number>();
  let looking = false;

  async function look(): Promise<void> {
    const now = performance.now();
    const silent = client.silences().filter(({ since, bytes }) => now - since > silentMs + bytes / slowestBytesPerMs);
    const owedNothing = silent.length > 0 ? await withTimeLimit(probeMs, "the probe", owesNothing(probe, silent)) : [];
    const began = new Map(owedNothing.map(({ connection, since }) => [connection, since]));
    const still = client.silences().filter(({ connection, since }) => began.get(connection) === since);
    const dead = still.filter(({ connection, since }) => doubted.get(connection) === since);
    doubted = began;
    for (const { destroy } of dead) destroy();
    if (dead.length === 0) return;
    client.closeIdle();
    onReplaced?.(dead.length);
  }

  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    await look().catch(() => {
      // The server did not answer in time: perhaps the connection of the probe is dead too.
      for (const { destroy } of probe.silences()) destroy();
    });
    looking = false;
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Returns the silent connections for which the server executes nothing, or that it does not know. */
async function owesNothing(probe: Sql, silent: readonly Silence[]): Promise<Silence[]> {
  const pids = `{${silent.flatMap(({ pid }) => pid ?? []).join()}}`;
  const rows = await probe.unsafe<{ pid: number; own: boolean; waits: boolean | null }[]>(
    `select pid, pid = pg_backend_pid() as own,
       wait_event in ('ClientRead', 'ClientWrite') and clock_timestamp() - state_change > interval '1 second' as waits
     from pg_stat_activity where pid = any($1::text::int[]) or pid = pg_backend_pid()`,
    [pids],
  );
  // A pooler invents process ids, so the server cannot say anything about its connections.
  const isDirect = rows.some(({ pid, own }) => own && pid === rows.state.pid);
  const waits = new Map(rows.map((row) => [row.pid, row.waits === true]));
  return silent.filter(({ pid }) => pid === null || (waits.get(pid) ?? isDirect));
}
