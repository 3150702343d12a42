import { lookup, Resolver } from "node:dns/promises";
import { open } from "node:fs/promises";
import { devNull } from "node:os";
import { retry } from "@video-to-json/runtime/timing";

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
