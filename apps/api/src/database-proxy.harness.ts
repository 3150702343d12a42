import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy before a database. It can cut connections, at a commit or during a statement, and can fall silent. */
export async function openDatabaseProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let cutsAtCommit = false;
  let silencesCommit = false;
  let isSilent = false;
  let breakingStatement: string | undefined;
  const done = { commits: 0, breaks: 0, silences: 0 };

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    let losesReplies = false;
    client.on("data", (bytes) => {
      if (breakingStatement === undefined || !bytes.includes(breakingStatement)) return void server.write(bytes);
      breakingStatement = undefined;
      done.breaks += 1;
      breakConnections();
    });
    server.on("data", (bytes) => {
      if (silencesCommit && bytes.includes("COMMIT\0")) {
        silencesCommit = false;
        losesReplies = true;
        done.silences += 1;
      }
      if (losesReplies || isSilent) return;
      if (!cutsAtCommit || !bytes.includes("COMMIT\0")) return void client.write(bytes);
      cutsAtCommit = false;
      done.commits += 1;
      cut();
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;

  function cut(): void {
    proxy.close();
    breakConnections();
  }
  function breakConnections(): void {
    for (const socket of open) socket.destroy();
  }
  return {
    url: url.href,
    /** How often the proxy cut at a commit, cut during a statement, and silenced a commit. */
    done,
    /** Breaks every connection and refuses new ones until `restore`. */
    cut,
    /** Cuts the connection after the next commit, before its confirmation gets through. */
    cutAtCommit() {
      cutsAtCommit = true;
    },
    /** Breaks every connection now, and again under the next statement that contains this text. */
    breakAt(text: string) {
      breakConnections();
      breakingStatement = text;
    },
    /** Drops everything that the server of the next commit sends, from the confirmation on. Other connections work. */
    silenceCommit() {
      silencesCommit = true;
    },
    /** Drops everything that the server sends, until `speak`. Every connection stays open. */
    silence() {
      isSilent = true;
    },
    /** Ends `silence`: breaks the silent connections and accepts new ones. */
    speak() {
      isSilent = false;
      breakConnections();
    },
    /** Accepts connections again. */
    async restore() {
      proxy.listen(port, "127.0.0.1");
      await once(proxy, "listening");
    },
  };
}
