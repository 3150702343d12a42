import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { isAllowedHost, notPublic } from "./guard-url.ts";
import { isPublicAddress } from "./public-address.ts";
import { type Resolve, resolveAtNameServers, resolveWithSystem } from "./resolve-name.ts";

/**
 * An HTTP agent that connects to public addresses only. It looks three times, since each look alone can be got around: at
 * an address written in the URL, at every address that a name resolves to (one that is private refuses them all), and at
 * the address that was connected to. Each connection resolves anew and is checked by its own answer. When `signal` aborts,
 * a connection that is being made is given up, whether it waits for the resolver or for the other side. Listed names are
 * the operator's and resolved as the system does; all others are asked for at the name servers.
 */
export function createGuardedAgent(options: {
  allowHosts: readonly string[];
  /** Instead of both ways to resolve a name. */
  resolve?: Resolve | undefined;
  signal?: AbortSignal | undefined;
}): Agent {
  const { signal } = options;
  const shared = { allowH2: false, timeout: 10_000, autoSelectFamily: true, ...(signal && { signal }) };
  const [resolveListed, resolveOther] = [options.resolve ?? resolveWithSystem, options.resolve ?? resolveAtNameServers];
  const connectAnywhere = buildConnector({ ...shared, lookup: lookupWith(resolveListed, () => true, signal) });
  const connectPublic = buildConnector({ ...shared, lookup: lookupWith(resolveOther, isPublicAddress, signal) });
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

function lookupWith(
  resolve: Resolve,
  isWelcome: (address: string) => boolean,
  signal: AbortSignal | undefined,
): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname, signal).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) return done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
        if (!addresses.every(({ address }) => isWelcome(address))) return done(notPublic(), []);
        if (all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error) => done(error, []),
    );
  };
}
