import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";

/** Everything that is sent to the Redis at a URL from now on, as its MONITOR tells it. */
export async function listenInOnRedis(url: string) {
  const { hostname, port } = new URL(url);
  const chunks: Buffer[] = [];
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.on("data", (bytes) => {
      chunks.push(bytes);
      resolve();
    });
    socket.write("MONITOR\r\n");
  });
  return {
    heard: () => Buffer.concat(chunks).toString("latin1"),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The command lines of every process of this machine that shows its own, gathered again and again. */
export function watchCommandLines() {
  const seen = new Set<string>();
  let going = true;
  const watching = (async () => {
    while (going) {
      const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")));
      for (const line of lines) seen.add(line);
    }
  })();
  return {
    seen: () => [...seen].join("\n"),
    async [Symbol.asyncDispose]() {
      going = false;
      await watching;
    },
  };
}
