import { once } from "node:events";
import { connect } from "node:net";

/** Resolves when the Redis at a URL answers PING; throws when it does not, or says that it is still loading. */
export async function redisAnswers(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port || 6379), hostname);
  socket.setTimeout(2000, () => socket.destroy(new Error("Redis does not answer.")));
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [answer] = await once(socket, "data");
    if (!String(answer).startsWith("+PONG")) throw new Error(`Redis answers ${String(answer).trim()}`);
  } finally {
    socket.destroy();
  }
}
