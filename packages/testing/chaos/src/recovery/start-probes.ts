import { setTimeout as sleep } from "node:timers/promises";

/** Whether an API responded to a request that needs the database, and the time of the request (milliseconds since 1970). */
export type Probe = { api: string; at: number; ok: boolean };

type World = { apiUrls: readonly string[]; key: string };

const everyMs = 200;
const timeoutMs = 5000;

/** Requests the balance of an account from each API, repeatedly, until it is stopped. */
export function startProbes({ apiUrls, key }: World): { probes: readonly Probe[]; stop(): Promise<void> } {
  const probes: Probe[] = [];
  const stopping = new AbortController();
  const asking = apiUrls.map(async (api) => {
    while (!stopping.signal.aborted) {
      const ok = await answers(api, key);
      probes.push({ api, at: Date.now(), ok });
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  });
  return {
    probes,
    async stop() {
      stopping.abort();
      await Promise.all(asking);
    },
  };
}

async function answers(api: string, key: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${api}/v1/me`, { headers, signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
