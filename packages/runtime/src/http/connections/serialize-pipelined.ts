import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The most requests of one connection that may be in flight: the current one, and those that wait. */
export const maxPipelined = 16;

/** Serves the requests of each connection one at a time. */
export type PipelineSerializer = {
  /**
   * Serves a request when the previous response on the connection is complete. So no response waits in our memory for
   * another, and no request of a client that has gone is started. More than 16 requests close the connection.
   */
  serve: RequestListener;
  /**
   * Makes the current response the last one of its connection, if its request has arrived in full or its head is sent.
   * Then calls `end` when it is complete, and serves no later request. Returns whether there is such a response.
   */
  endAfterResponse(socket: Duplex, end: () => void): boolean;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

/**
 * Wraps an app so that pipelined requests run one after the other. Node sends their responses in order, but starts all
 * requests at once and keeps the finished responses in memory.
 */
export function serializePipelined(app: RequestListener): PipelineSerializer {
  const pending = new WeakMap<Duplex, Exchange[]>();
  const ending = new WeakSet<Duplex>();

  function serveNext(socket: Duplex): void {
    const exchange = pending.get(socket)?.[0];
    if (!exchange || ending.has(socket) || !socket.writable) return;
    const { request, response } = exchange;
    // Each middleware and each stream that writes the response listens for its end: more listeners than Node's default
    // of ten.
    response.setMaxListeners(20);
    response.once("close", () => {
      pending.get(socket)?.shift();
      serveNext(socket);
    });
    app(request, response);
  }

  return {
    serve(request, response) {
      const { socket } = request;
      const exchanges = pending.get(socket) ?? [];
      if (ending.has(socket) || socket.destroyed) return;
      if (exchanges.length === maxPipelined) return void socket.destroy();
      pending.set(socket, exchanges);
      if (exchanges.push({ request, response }) === 1) serveNext(socket);
    },
    endAfterResponse(socket, end) {
      const { request, response } = pending.get(socket)?.[0] ?? {};
      if (!request || !response || !(request.complete || response.headersSent)) return false;
      ending.add(socket);
      response.shouldKeepAlive = false;
      response.once("close", end);
      return true;
    },
  };
}
