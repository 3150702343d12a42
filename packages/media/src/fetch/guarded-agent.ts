import { lookup, Resolver } from "node:dns/promises";
import { open } from "node:fs/promises";
import { isIP, type LookupFunction } from "node:net";
import { devNull } from "node:os";
import { isPublicAddress } from "@video-to-json/runtime/public-address";
import { retry } from "@video-to-json/runtime/timing";
import { Agent, buildConnector } from "undici";
import { isAllowedHost, notPublic } from "./video-url.ts";

/**
 * Creates an HTTP agent that connects to public addresses only. It checks an address in the URL, all addresses that a
 * name resolves to (one private address rejects them all), and the address of the open connection, because each check
 * alone can be bypassed. Every connection resolves the name again and is checked by its own answer.
 *
 * @param options.allowHosts `host:port` pairs that may be private. The system resolves their names.
 * @param options.resolve replaces both ways to resolve a name.
 * @param options.dns replaces Node's DNS module.
 * @param options.signal cancels connections that are being opened, name resolution included.
 * @param options.onAddress is called with the address of each open connection.
 */
export function createGuardedAgent(options: {
  allowHosts: readonly string[];
  resolve?: Resolve | undefined;
  dns?: Dns | undefined;
  signal?: AbortSignal | undefined;
  onAddress?: ((address: string) => void) | undefined;
}): Agent {
  const { dns, signal, onAddress } = options;
  const shared = { allowH2: false, timeout: 10_000, autoSelectFamily: true, ...(signal && { signal }) };
  const resolveAllowed = options.resolve ?? ((host, end) => resolveWithSystem(host, end, dns));
  const resolveForeign = options.resolve ?? ((host, end) => resolveAtNameServers(host, end, dns));
  const connectAnywhere = buildConnector({ ...shared, lookup: createLookup(resolveAllowed, () => true, signal) });
  const connectPublic = buildConnector({ ...shared, lookup: createLookup(resolveForeign, isPublicAddress, signal) });
  const connect: buildConnector.connector = (target, next) => {
    const done: buildConnector.Callback = (...outcome) => {
      if (outcome[1]?.remoteAddress) onAddress?.(outcome[1].remoteAddress);
      next(...outcome);
    };
    const port = target.port ? `:${target.port}` : "";
    const host = target.hostname.includes(":") ? `[${target.hostname.replace(/^\[|\]$/g, "")}]` : target.hostname;
    if (isAllowedHost(new URL(`${target.protocol}//${host}${port}`), options.allowHosts))
      return connectAnywhere(target, done);
    const literal = target.hostname.replace(/^\[|\]$/g, "");
    if (isIP(literal) && !isPublicAddress(literal)) return done(notPublic(), null);
    connectPublic(target, (error, socket) => {
      if (error) return done(error, null);
      if (socket?.remoteAddress && isPublicAddress(socket.remoteAddress)) return done(null, socket);
      socket?.destroy();
      done(notPublic(), null);
    });
  };
  return new Agent({ connect, maxHeaderSize: 32 * 1024, headersTimeout: 30_000, bodyTimeout: 30_000 });
}

function createLookup(
  resolve: Resolve,
  isAllowedAddress: (address: string) => boolean,
  signal: AbortSignal | undefined,
): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname, signal).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) return done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
        if (!addresses.every(({ address }) => isAllowedAddress(address))) return done(notPublic(), []);
        if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error) => done(error, []),
    );
  };
}

/** Returns every address of a host name. Aborting the signal cancels the queries. */
export type Resolve = (
  hostname: string,
  signal?: AbortSignal,
) => Promise<readonly { address: string; family: number }[]>;

/** The parts of Node's DNS module that are used here. Tests replace them. */
export type Dns = Pick<typeof import("node:dns/promises"), "lookup" | "Resolver">;

/** Resolves an operator's name with the system's resolver, hosts file and search list included. */
export function resolveWithSystem(hostname: string, signal?: AbortSignal, dns: Dns = { lookup, Resolver }) {
  return retryOnce(() => dns.lookup(hostname, { all: true }), limited(signal));
}

/**
 * Resolves a name from a caller's URL at the name servers, without hosts file and search list. The system's `lookup` is
 * not used, because it occupies one of the four threads of this process while a foreign name server is silent.
 */
export function resolveAtNameServers(hostname: string, signal?: AbortSignal, dns: Dns = { lookup, Resolver }) {
  const limit = limited(signal);
  const resolve = () =>
    resolveBothFamilies(dns, hostname, limit).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNREFUSED") throw error;
      // Without free file descriptors, c-ares reports ECONNREFUSED too. Opening a file fails with the real reason.
      await (await open(devNull)).close();
      // Without a name server, no silent name server can occupy a thread.
      return dns.lookup(hostname, { all: true });
    });
  return retryOnce(resolve, limit);
}

/** Returns whether an error code of `getaddrinfo` or c-ares means that the name may resolve later. */
export function isTransientDnsCode(code: string): boolean {
  return /^(EAI_AGAIN|ETIMEOUT|ECANCELLED|ESERVFAIL|EREFUSED|EBADRESP|EFORMERR|ENOTIMP)$/.test(code);
}

async function resolveBothFamilies(dns: Dns, hostname: string, limit: AbortSignal): ReturnType<Resolve> {
  const resolver = new dns.Resolver({ timeout: 3000, tries: 2 });
  const cancel = () => resolver.cancel();
  limit.addEventListener("abort", cancel);
  let otherFamilyTimer: NodeJS.Timeout | undefined;
  const resolveFamily = async (family: 4 | 6) => {
    const addresses = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    if (addresses.length > 0) otherFamilyTimer ??= setTimeout(cancel, otherFamilyMs);
    return addresses.map((address) => ({ address, family }));
  };
  const answers = await Promise.allSettled([resolveFamily(4), resolveFamily(6)]);
  clearTimeout(otherFamilyTimer);
  limit.removeEventListener("abort", cancel);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const errors = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  const error = errors.find(({ code }) => isTransientDnsCode(code)) ?? errors[0];
  if (addresses.length === 0 && error) throw error;
  return addresses;
}

function retryOnce<T>(resolve: () => Promise<T>, limit: AbortSignal): Promise<T> {
  return retry(resolve, {
    ...{ minDelayMs: 0, maxDelayMs: 0, maxAttempts: 2 },
    isTransient: (error) => !limit.aborted && isTransientDnsCode((error as NodeJS.ErrnoException).code ?? ""),
  });
}

function limited(signal: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(maxResolveMs), ...(signal ? [signal] : [])]);
}

/** Less than the time limit of a connection, so that the error names the name servers and not the video's server. */
const maxResolveMs = 9000;
/**
 * How long one family of addresses waits for the other, because many name servers never answer about IPv6. Allows one
 * retry.
 */
const otherFamilyMs = 4000;
