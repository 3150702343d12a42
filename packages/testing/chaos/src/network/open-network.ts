import { openProxy, type SilentProxy } from "./proxy.ts";

/** A server that APIs and workers need. */
export type Dependency = "postgres" | "redis" | "provider" | "storage";

/** The proxy through which one API or worker reaches one server. */
export type Link = Omit<SilentProxy, "close" | "url"> & { part: string; to: Dependency };

/** The proxies between the APIs and workers of a run and their servers. */
export type Network = {
  links: readonly Link[];
  /** Opens the proxies of an API or worker. Returns its settings with their URLs. */
  settingsOf(part: { name: string }, urls: Urls): Promise<Record<string, string>>;
  close(): Promise<void>;
};

type Urls = { databaseUrl: string; redisUrl: string; emulatorUrl: string | undefined };

/** Opens a network without proxies. `s3` is the server of the bucket, if storage is one. */
export function openNetwork(s3?: { endpoint: string; bucket: string }): Network {
  const links: Link[] = [];
  const proxies: SilentProxy[] = [];
  async function open(part: string, to: Dependency, url: string): Promise<string> {
    const proxy = await openProxy(url);
    proxies.push(proxy);
    links.push({ part, to, ...proxy });
    return proxy.url;
  }
  return {
    links,
    async settingsOf({ name }, { databaseUrl, redisUrl, emulatorUrl }) {
      return {
        DATABASE_URL: await open(name, "postgres", databaseUrl),
        REDIS_URL: await open(name, "redis", redisUrl),
        ...(emulatorUrl ? { GEMINI_BASE_URL: await open(name, "provider", emulatorUrl) } : {}),
        ...(s3
          ? { STORAGE_URL: `s3://${s3.bucket}/uploads?endpoint=${await open(name, "storage", s3.endpoint)}` }
          : {}),
      };
    },
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}
