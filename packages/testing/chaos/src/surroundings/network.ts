import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Which bytes are dropped: all, those to the server, or those to its client. */
export type Direction = "both" | "to-server" | "to-client";

type Way = { direction: "to-server" | "to-client"; from: Socket; into: Socket; isOpen: boolean };

// A server notices a vanished client by its keep-alive packets, which our settings for PostgreSQL send after 60 s.
const keepAliveMs = 60_000;
const commitTag = "COMMIT\0";

/**
 * Opens a TCP proxy on a free port of 127.0.0.1 before the server of a URL. The proxy can fall silent: it drops bytes
 * without closing connections, like a firewall that has forgotten a connection. A connection that lost a byte stays
 * silent in that direction for ever. New ones work again.
 */
export async function openProxy(serverUrl: string) {
  const target = new URL(serverUrl);
  const ways = new Set<Way>();
  const silences = new Set<Direction>();
  let losesCommit = false;
  let answer: string | undefined;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    carry({ direction: "to-server", from: near, into: far, isOpen: true });
    carry({ direction: "to-client", from: far, into: near, isOpen: true });
  });

  function carry(way: Way): void {
    const { direction, from, into } = way;
    const isSilent = () => silences.has("both") || silences.has(direction);
    ways.add(way);
    from.on("data", (bytes) => {
      if (answer !== undefined && direction === "to-server") return void from.end(answer);
      const isLost = losesCommit && direction === "to-client" && bytes.includes(commitTag);
      if (isLost) losesCommit = false;
      if (isLost || isSilent()) way.isOpen = false;
      if (!way.isOpen || into.write(bytes)) return;
      from.pause();
      into.once("drain", () => from.resume());
    });
    from.on("error", () => {});
    from.on("close", (isBroken) => {
      ways.delete(way);
      // A side that is cut off has to notice the end by itself.
      if (!way.isOpen || isSilent()) setTimeout(() => into.destroy(), keepAliveMs).unref();
      else if (isBroken) into.resetAndDestroy();
      // The bytes before the end still arrive.
      else into.destroySoon();
    });
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href.replace(/\/$/, ""),
    /** Drops the bytes of every connection, old and new, until the returned function is called. */
    silence(direction: Direction) {
      silences.add(direction);
      return () => void silences.delete(direction);
    },
    /** Answers whatever clients send with these bytes and closes their connections, until the returned function is called. */
    answerWith(bytes: string) {
      answer = bytes;
      return () => {
        answer = undefined;
      };
    },
    /** Resets all connections, and refuses new ones, until the returned function is called. */
    refuse() {
      const { port } = server.address() as AddressInfo;
      server.close();
      for (const { from } of ways) from.resetAndDestroy();
      return () => void server.listen(port, "127.0.0.1");
    },
    /** Drops all bytes of the open connections for ever. New ones work. */
    forget() {
      for (const way of ways) way.isOpen = false;
    },
    /** Drops the reply to the next COMMIT of PostgreSQL, and everything that its connection gets after it. */
    loseCommitReply() {
      losesCommit = true;
    },
    /** Returns whether a reply to COMMIT is still to be dropped. */
    awaitsCommit: () => losesCommit,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const { from } of ways) from.destroy();
      await closed;
    },
  };
}

/** A server that APIs and workers need. */
export type Dependency = "postgres" | "redis" | "provider" | "storage";

/** The proxy through which one API or worker reaches one server. */
export type Link = Awaited<ReturnType<typeof openProxy>> & { part: string; to: Dependency };

type Urls = { databaseUrl: string; redisUrl: string; emulatorUrl: string | undefined };

/** Opens the network between the APIs and workers of a run and their servers. `s3` is the server of the bucket. */
export function openNetwork(s3?: { endpoint: string; bucket: string }) {
  const links: Link[] = [];
  async function open(part: string, to: Dependency, url: string): Promise<string> {
    const proxy = await openProxy(url);
    links.push({ part, to, ...proxy });
    return proxy.url;
  }
  return {
    links: links as readonly Link[],
    /** Opens the proxies of an API or worker. Returns its settings with their URLs. */
    async settingsOf({ name }: { name: string }, { databaseUrl, redisUrl, emulatorUrl }: Urls) {
      return {
        DATABASE_URL: await open(name, "postgres", databaseUrl),
        REDIS_URL: await open(name, "redis", redisUrl),
        ...(emulatorUrl && { GEMINI_BASE_URL: await open(name, "provider", emulatorUrl) }),
        ...(s3 && { STORAGE_URL: `s3://${s3.bucket}/uploads?endpoint=${await open(name, "storage", s3.endpoint)}` }),
      };
    },
    async close() {
      await Promise.all(links.map((link) => link.close()));
    },
  };
}
