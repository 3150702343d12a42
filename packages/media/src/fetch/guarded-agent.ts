import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { isAllowedHost, notPublic } from "./guard-url.ts";
import { isPublicAddress } from "./public-address.ts";

/** Gives every address of a host name, as the system's resolver does. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** Resolves with the system's resolver, hosts file included. */
export const resolveWithSystem: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * An HTTP agent that connects to public addresses only. It looks three times, since each look alone can be got around: at
 * an address written in the URL, at every address that a name resolves to (one that is private refuses them all), and at
 * the address that was connected to. Each connection resolves anew and is checked by its own answer. When `signal` aborts,
 * a connection that is being made is given up, whether it waits for the resolver or for the other side.
 */
export function createGuardedAgent(options: {
  allowHosts: readonly string[];
  resolve: Resolve;
  signal?: AbortSignal | undefined;
}): Agent {
  const { signal } = options;
  const shared = { allowH2: false, timeout: 10_000, autoSelectFamily: true, ...(signal && { signal }) };
  const connectAnywhere = buildConnector({ ...shared, lookup: lookupWith(options.resolve, () => true) });
  const connectPublic = buildConnector({ ...shared, lookup: lookupWith(options.resolve, isPublicAddress) });
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

function lookupWith(resolve: Resolve, isWelcome: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, done) => {
    resolve(hostname).then(
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
