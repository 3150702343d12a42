import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Most requests that a connection may have in hand: the one that is served, and those that were sent behind it. */
export const mostInHand = 16;

/** The order in which the requests of each connection are served. */
export type Turns = {
  /**
   * Serves the requests of a connection one after the other, each when the answer before it is out: no answer waits in
   * our memory for another, and none is begun for a caller who has gone. Who sends too many ahead is hung up on.
   */
  serve: RequestListener;
  /**
   * Lets the answer in hand, if there is one to a request that is there in full, be the last of its connection: nothing
   * behind it is served, and `end` is called once it is out. Says whether there is one.
   */
  endAfterAnswer(socket: Duplex, end: () => void): boolean;
};

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** Begins to keep the order for an app. */
export function openTurns(app: RequestListener): Turns {
  const inHand = new WeakMap<Duplex, Exchange[]>();
  const ending = new WeakSet<Duplex>();

  function next(socket: Duplex): void {
    const exchange = inHand.get(socket)?.[0];
    if (!exchange || ending.has(socket) || !socket.writable) return;
    const { request, response } = exchange;
    // Every part that cares for an answer listens for its end, and a pipeline into it does so several times.
    response.setMaxListeners(20);
    response.once("close", () => {
      inHand.get(socket)?.shift();
      next(socket);
    });
    app(request, response);
  }

  return {
    serve(request, response) {
      const { socket } = request;
      const exchanges = inHand.get(socket) ?? [];
      if (ending.has(socket) || socket.destroyed) return;
      if (exchanges.length === mostInHand) return void socket.destroy();
      inHand.set(socket, exchanges);
      if (exchanges.push({ request, response }) === 1) next(socket);
    },
    endAfterAnswer(socket, end) {
      const { request, response } = inHand.get(socket)?.[0] ?? {};
      if (!request || !response || !(request.complete || response.headersSent)) return false;
      ending.add(socket);
      response.shouldKeepAlive = false;
      response.once("close", end);
      return true;
    },
  };
}
