import type { Connection } from "./connection.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { withRetries } from "./retry.ts";
import { type Answer, type Outgoing, send } from "./send.ts";
import { withAbort } from "./with-abort.ts";

/** A request that only reads, sent again when it fails for a passing reason: its JSON, and the text of that. */
export function ask<T>(
  connection: Connection,
  outgoing: Outgoing,
  { signal }: { signal?: AbortSignal | undefined },
  judge: (connection: Connection, answer: Answer) => T = judgeAnswer as typeof judge,
): Promise<{ body: T; text: string }> {
  return withAbort(signal, (stop) =>
    withRetries({ retries: connection.retries, signal: stop.signal }, async () => {
      const answer = await send(connection, outgoing, stop.signal);
      return { body: judge(connection, answer), text: answer.text };
    }),
  );
}
