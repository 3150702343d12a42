import { type AddressInfo, createServer, type Socket } from "node:net";
import type { ServiceFacts } from "../service.ts";

/** A service that several test files use, one after the other. */
export type LentService = {
  facts: ServiceFacts;
  /** Makes it as new for the next file. Rejects when it cannot be used again. */
  reset(): Promise<void>;
  stop(): Promise<void>;
};

/** What a borrower reads: the facts of its service, or the error of its start. */
export type Loan = { facts: ServiceFacts } | { error: string };

/**
 * Opens a server that lends services: a connection borrows one, reads its facts as a line of JSON, and gives it back
 * with its end, also when its process was killed. A service starts when one is needed and all others are lent. There
 * are never more than `limit`: the next borrower waits.
 */
export async function lendServices(start: () => Promise<LentService>, limit: number) {
  const free: LentService[] = [];
  const waiting: (() => void)[] = [];
  const loans = new Map<Socket, Promise<void>>();
  let lent = 0;

  async function lend(socket: Socket): Promise<void> {
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const send = (loan: Loan) => socket.write(`${JSON.stringify(loan)}\n`);
    if (lent === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else lent++;
    try {
      const service = free.pop() ?? (await start());
      send({ facts: service.facts });
      await closed;
      await service.reset().then(
        () => void free.push(service),
        () => service.stop(),
      );
    } catch (error) {
      send({ error: String(error) });
    }
    const next = waiting.shift();
    if (next) next();
    else lent--;
  }

  const server = createServer((socket) => {
    socket.on("error", () => {}).resume();
    loans.set(
      socket,
      lend(socket).finally(() => loans.delete(socket)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends the loans and stops all services. */
    async close() {
      server.close();
      const ended = [...loans.values()];
      for (const socket of loans.keys()) socket.destroy();
      await Promise.all(ended);
      await Promise.all(free.splice(0).map((service) => service.stop()));
    },
  };
}
