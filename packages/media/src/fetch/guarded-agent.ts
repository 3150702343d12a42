import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { isAllowedHost, notPublic } from "./guard-url.ts";
import { isPublicAddress } from "./public-address.ts";
import { type Dns, type Resolve, resolveAtNameServers, resolveWithSystem } from "./resolve-name.ts";

/**
 * Creates an HTTP agent that connects to public addresses only. It checks an address in the URL, all addresses that a
 * name resolves to (one private address rejects them all), and the address of the open connection, because each check
 * alone can be bypassed. Every connection resolves the name again and is checked by its own answer.
 *
 * @param options.allowHosts `host:port` pairs that may be private. The system resolves their names.
 * @param options.resolve replaces both ways to resolve a name.
 * @param options.dns replaces Node's DNS module.
 * @param options.signal cancels connections that are being opened, name resolution included.
 */
export function createGuardedAgent(options: {
  allowHosts: readonly string[];
  resolve?: Resolve | undefined;
  dns?: Dns | undefined;
  signal?: AbortSignal | undefined;
}): Agent {
  const { dns, signal } = options;
  const shared = { allowH2: false, timeout: 10_000, autoSelectFamily: true, ...(signal && { signal }) };
  const resolveAllowed = options.resolve ?? ((host, end) => resolveWithSystem(host, end, dns));
  const resolveForeign = options.resolve ?? ((host, end) => resolveAtNameServers(host, end, dns));
  const connectAnywhere = buildConnector({ ...shared, lookup: createLookup(resolveAllowed, () => true, signal) });
  const connectPublic = buildConnector({ ...shared, lookup: createLookup(resolveForeign, isPublicAddress, signal) });
  const connect: buildConnector.connector = (target, done) => {
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
