import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a REDIS_URL says. Names and passwords are decoded. */
export type RedisAddress = {
  /** The server, or the sentinels that know it: one host at least. */
  hosts: { host: string; port: number }[];
  /** The name by which the sentinels know the primary; undefined for one server. */
  primary: string | undefined;
  username: string | undefined;
  password: string | undefined;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
  database: number;
  /** Whether connections to servers and sentinels use TLS. */
  isEncrypted: boolean;
  /** The certificates of the authorities to trust, in PEM; undefined for those that Node knows. */
  ca: string | undefined;
  /** The beginning of every Redis key. */
  prefix: string;
};

const known = ["prefix", "ca", "sentinel-username", "sentinel-password"];

/**
 * Reads a REDIS_URL: `redis://host:6379/0`, or `redis+sentinel://host:26379,host:26379/name/0`, in which `name` is the
 * primary's; `rediss` in place of `redis` for TLS.
 *
 * @throws Error with what to correct; never with the address, which may hold a password.
 */
export function readRedisAddress(text: string): RedisAddress {
  const [, scheme = "", authority = "", rest = ""] = /^([\w+]+):\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (/cluster/i.test(scheme))
    throw new Error("names a Redis Cluster, which is not supported: name one server, or Sentinel");
  const kind = /^redis(s?)(\+sentinel)?$/.exec(scheme);
  if (!kind) throw new Error(`not a URL that starts with ${schemes}`);
  const [isEncrypted, isSentinel] = [kind[1] === "s", kind[2] !== undefined];
  const at = authority.lastIndexOf("@") + 1;
  const hosts = authority.slice(at).split(",");
  if (hosts.length > 1 && !isSentinel) {
    throw new Error(
      "names several hosts; name one address that leads to the primary, or Sentinel as redis+sentinel://",
    );
  }
  const url = URL.parse(`redis://${authority.slice(0, at)}host${rest}`);
  if (!url) throw new Error("not a URL; write special characters of a password as %XX");
  const path = url.pathname.split("/").slice(1).map(decodeURIComponent);
  const primary = isSentinel ? path.shift() : undefined;
  if (isSentinel && !primary) throw new Error("names no primary; write it as redis+sentinel://host:26379/name");
  const [database = "", ...more] = path;
  if (!/^\d{0,5}$/.test(database) || more.length > 0)
    throw new Error("has a path that is not the number of a database");
  const given = url.searchParams;
  for (const name of given.keys()) {
    const isOfSentinel = name.startsWith("sentinel-") && !isSentinel;
    if (!known.includes(name) || isOfSentinel)
      throw new Error(`has "${name}", which this service does not support here`);
  }
  const ca = given.get("ca");
  if (ca !== null && !isEncrypted) throw new Error("has `ca` without TLS: begin it with rediss");
  return {
    hosts: hosts.map((host) => readHost(host, isSentinel ? 26_379 : 6379)),
    primary,
    username: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    sentinelUsername: given.get("sentinel-username") ?? undefined,
    sentinelPassword: given.get("sentinel-password") ?? undefined,
    database: Number(database),
    isEncrypted,
    ca: ca === null ? undefined : readAuthorities(ca),
    prefix: given.get("prefix") ?? "v2j",
  };
}

const schemes = "redis:// or rediss://, or redis+sentinel:// or rediss+sentinel://";

function readHost(text: string, defaultPort: number): { host: string; port: number } {
  const url = URL.parse(`redis://${text.trim()}`);
  if (!url?.hostname)
    throw new Error("has a host that cannot be read; write host:port, and IPv6 addresses in brackets");
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || defaultPort) };
}

function readAuthorities(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    void new X509Certificate(text);
    return text;
  } catch (cause) {
    throw new Error(`names a file in \`ca\` that cannot be read, or holds no certificate: ${path}`, { cause });
  }
}
