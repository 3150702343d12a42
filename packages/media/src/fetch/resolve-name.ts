import { lookup, Resolver } from "node:dns/promises";
import { open } from "node:fs/promises";
import { devNull } from "node:os";

/** Gives every address of a host name; may be told when nobody waits for them any more. */
export type Resolve = (
  hostname: string,
  signal?: AbortSignal,
) => Promise<readonly { address: string; family: number }[]>;

/** Resolves a name of the operator's own as the system does, hosts file and search list included. */
export const resolveWithSystem: Resolve = (hostname, signal) =>
  againWhereTemporary(() => lookup(hostname, { all: true }), endOf(signal));

/**
 * Resolves a stranger's name, at the name servers alone and without a search list. The system's `lookup` would hold one
 * of the few threads that all of this process shares for as long as the stranger's name servers like.
 */
export const resolveAtNameServers: Resolve = (hostname, signal) => {
  const end = endOf(signal);
  const ask = () =>
    askBothFamilies(hostname, end).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNREFUSED") throw error;
      // Neither c-ares nor the system tells a lack of descriptors from a lack of name servers; a file that is opened does.
      await (await open(devNull)).close();
      // No name server can be asked: nobody's silence can hold up the system, then.
      return lookup(hostname, { all: true });
    });
  return againWhereTemporary(ask, end);
};

/** Whether a name may well be found a moment later: by the codes of `getaddrinfo` and of c-ares. */
export function isTemporary(code: string): boolean {
  return /^(EAI_AGAIN|ETIMEOUT|ECANCELLED|ESERVFAIL|EREFUSED|EBADRESP|EFORMERR|ENOTIMP)$/.test(code);
}

async function askBothFamilies(hostname: string, end: AbortSignal): ReturnType<Resolve> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const cancel = () => resolver.cancel();
  end.addEventListener("abort", cancel);
  let patience: NodeJS.Timeout | undefined;
  const ask = async (family: 4 | 6) => {
    const addresses = await (family === 4 ? resolver.resolve4(hostname) : resolver.resolve6(hostname));
    if (addresses.length > 0) patience ??= setTimeout(cancel, otherFamilyMs);
    return addresses.map((address) => ({ address, family }));
  };
  const answers = await Promise.allSettled([ask(4), ask(6)]);
  clearTimeout(patience);
  end.removeEventListener("abort", cancel);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const faults = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  const fault = faults.find(({ code }) => isTemporary(code)) ?? faults[0];
  if (addresses.length === 0 && fault) throw fault;
  return addresses;
}

async function againWhereTemporary<T>(ask: () => Promise<T>, end: AbortSignal): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (end.aborted || !isTemporary((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return ask();
  }
}

function endOf(signal: AbortSignal | undefined): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(mostMs), ...(signal ? [signal] : [])]);
}

/** Less than a connection may take, so that it is the name servers that are blamed for their silence. */
const mostMs = 9000;
/** Enough to ask once more for what was lost, and leaves time to connect: many a server is silent about IPv6. */
const otherFamilyMs = 4000;
