import type { ServerResponse } from "node:http";

/** A server-sent event. */
type StreamEvent = {
  name: string;
  data: string;
  /** When the client may reconnect, in milliseconds. */
  retryMs?: number | undefined;
};

/** A response that is a stream of server-sent events. */
export type EventStream = {
  /**
   * Sends an event. Drops it while 64 KiB wait for the client, so that a client that does not read costs no more
   * memory.
   */
  send(event: StreamEvent): void;
  /** Sends the last event and ends the response. */
  end(event: StreamEvent): void;
};

/**
 * Sends the head of a response and starts its stream of events. A comment follows every `commentEveryMs` milliseconds,
 * so that no proxy considers the connection dead. After the client has gone, all functions do nothing.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 * @example
 * const stream = openEventStream(response, { commentEveryMs: 5_000 });
 * stream.send({ name: "progress", data: '{"stage":"probing"}' });
 * stream.end({ name: "result", data: answerText });
 */
export function openEventStream(response: ServerResponse, { commentEveryMs }: { commentEveryMs: number }): EventStream {
  const write = (text: string) => {
    if (!response.writableNeedDrain && !response.writableEnded) response.write(text);
  };
  // Express would add a charset, which the format does not have: it is always UTF-8.
  response.setHeader("Content-Type", "text/event-stream");
  response.setHeader("Cache-Control", "no-store");
  // Makes nginx pass each event on at once.
  response.setHeader("X-Accel-Buffering", "no");
  response.flushHeaders();
  const comments = setInterval(() => write(": waiting\n\n"), commentEveryMs);
  const stop = () => clearInterval(comments);
  if (response.destroyed) stop();
  else response.once("close", stop);
  return {
    send: (event) => write(textOf(event)),
    end(event) {
      stop();
      response.end(textOf(event));
    },
  };
}

/** A client joins the lines of the data with a line feed. */
function textOf({ name, data, retryMs }: StreamEvent): string {
  const retry = retryMs === undefined ? "" : `retry: ${retryMs}\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${name}\n${retry}${lines.join("")}\n`;
}
