import type { Emulator, EmulatorState } from "./emulator.ts";

const waitMs = 120_000;

/** Creates a client for the control interface of an emulator. */
export function control(url: string): Pick<Emulator, "setFaults" | "state" | "waitFor"> {
  async function ask(path: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(`${url}/control/${path}`, { signal: AbortSignal.timeout(waitMs + 5000), ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`The emulator answers ${response.status} to /control/${path}: ${text}`);
    return text;
  }
  return {
    async setFaults(faults) {
      const headers = { "content-type": "application/json" };
      await ask("faults", { method: "PUT", headers, body: JSON.stringify({ faults }) });
    },
    state: async () => JSON.parse(await ask("state")) as EmulatorState,
    async waitFor(conditions) {
      const query = Object.entries({ ...conditions, timeoutMs: waitMs }).map(([name, value]) => `${name}=${value}`);
      return JSON.parse(await ask(`wait?${query.join("&")}`)) as EmulatorState;
    },
  };
}
