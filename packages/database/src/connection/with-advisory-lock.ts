import { connect } from "./connect.ts";
import type { Database } from "./open-database.ts";

type Lock = {
  /** Whoever works under the same name is kept out. */
  name: string;
  /**
   * How long the work may take, in seconds. After that the lock is free again though the work may go on: a process that
   * stands still must not keep it.
   */
  longestSeconds: number;
};

/**
 * Does `work` unless somebody else, in any process, is at work under the same name; gives undefined then, else what
 * `work` gives. The lock is a connection of its own: however this process ends, the server gives the lock back with it.
 */
export async function withAdvisoryLock<T>(
  database: Pick<Database, "url">,
  { name, longestSeconds }: Lock,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const { client } = connect(database.url, {
    max: 1,
    applicationName: `video-to-json lock: ${name}`,
    statementSeconds: 10,
    lockSeconds: 10,
    lasting: true,
    idleSeconds: longestSeconds,
  });
  try {
    const [row] = await client`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`;
    return row?.locked ? await work() : undefined;
  } finally {
    await client.end({ timeout: 5 });
  }
}
