import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy whose connections can be broken. */
export type BreakableProxy = AsyncDisposable & {
  url: string;
  /** The number of accepted connections. */
  connections(): number;
  /** Breaks all open connections. */
  breakAll(): void;
};

/** Starts a loopback proxy to a server. The first connection breaks after `breakFirstAfterBytes` bytes of the client. */
export async function startBreakableProxy(target: string, breakFirstAfterBytes: number): Promise<BreakableProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((near) => {
    const isFirst = ++count === 1;
    const far = connect(Number(port), hostname);
    let carried = 0;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", end).on("close", () => {
        open.delete(socket);
        end();
      });
    }
    near.on("data", (chunk) => {
      carried += chunk.length;
      if (isFirst && carried > breakFirstAfterBytes) near.resetAndDestroy();
    });
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const breakAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    breakAll,
    async [Symbol.asyncDispose]() {
      breakAll();
      server.close();
      await once(server, "close");
    },
  };
}
