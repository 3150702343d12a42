import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the ports that Linux and macOS use for outgoing connections.
const firstPort = 20_000;
const portsPerWorker = 1000;
const workers = 12;
// Other processes of a run, and other runs, start many servers: they have more ports.
const others = { first: 10_000, count: 10_000 };
const tries = 50;
// Between the choice of a port and the start of its server another choice could hit it.
const chosen = new Set<number>();

/** Returns a free port, never the same again. The workers of a test run choose from separate ranges. */
export async function freePort(): Promise<number> {
  const { first, count } = portRange(process.env.VITEST_POOL_ID);
  for (let i = 0; i < tries; i++) {
    const port = first + randomInt(count);
    if (chosen.has(port) || !(await canListen(port))) continue;
    chosen.add(port);
    return port;
  }
  throw new Error(`No free port found from ${first} to ${first + count - 1} in ${tries} tries.`);
}

function portRange(worker: string | undefined): { first: number; count: number } {
  if (!worker) return others;
  return { first: firstPort + (Number(worker) % workers) * portsPerWorker, count: portsPerWorker };
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
