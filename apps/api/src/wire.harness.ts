import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A database behind a wire that can be cut and mended, cut once a commit was done, or broken under a statement. */
export async function openWire(databaseUrl: string) {
  const there = new URL(databaseUrl);
  const open = new Set<Socket>();
  let cuttingAtCommit = false;
  let breakingAt: string | undefined;
  const done = { commits: 0, breaks: 0 };

  const wire = createServer((near) => {
    const far = connect(Number(there.port), there.hostname);
    near.on("data", (bytes) => {
      if (breakingAt === undefined || !bytes.includes(breakingAt)) return void far.write(bytes);
      breakingAt = undefined;
      done.breaks += 1;
      breakAll();
    });
    far.on("data", (bytes) => {
      if (!cuttingAtCommit || !bytes.includes("COMMIT\0")) return void near.write(bytes);
      cuttingAtCommit = false;
      done.commits += 1;
      cut();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  wire.listen(0, "127.0.0.1");
  await once(wire, "listening");
  const { port } = wire.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  function cut(): void {
    wire.close();
    breakAll();
  }
  function breakAll(): void {
    for (const socket of open) socket.destroy();
  }
  return {
    url: url.href,
    /** How often the wire was cut at a commit, and broken under a statement. */
    done,
    cut,
    /** From the next commit on nothing gets through, its word included. */
    cutAtCommit() {
      cuttingAtCommit = true;
    },
    /** Breaks every connection now, and once more under the next statement whose text has this in it. */
    breakAt(text: string) {
      breakAll();
      breakingAt = text;
    },
    async mend() {
      wire.listen(port, "127.0.0.1");
      await once(wire, "listening");
    },
  };
}
