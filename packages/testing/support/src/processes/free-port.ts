import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the ports that Linux and macOS lend to outgoing connections, so that none of those can take it meanwhile.
const lowest = 20_000;
const highest = 32_000;
const tries = 50;

/** A port of 127.0.0.1 that nothing listens on right now. */
export async function freePort(): Promise<number> {
  for (let i = 0; i < tries; i++) {
    const port = randomInt(lowest, highest);
    if (await canListen(port)) return port;
  }
  throw new Error(`No free port found between ${lowest} and ${highest} in ${tries} tries.`);
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
