import type { Connection } from "./connection.ts";
import { withRetries } from "./retry.ts";
import { type Answer, type Outgoing, send } from "./send.ts";
import { withAbort } from "./with-abort.ts";

/** A request that only reads, sent again when it fails for a passing reason: what `judge` makes of its answer. */
export function ask<T>(
  connection: Connection,
  outgoing: Outgoing,
  signal: AbortSignal | undefined,
  judge: (answer: Answer) => T,
): Promise<T> {
  return withAbort(signal, (stop) =>
    withRetries({ retries: connection.retries, signal: stop.signal }, async () =>
      judge(await send(connection, outgoing, stop.signal)),
    ),
  );
}
