import type { Emulator, EmulatorState } from "./emulator.ts";

const waitMs = 120_000;

/** Creates a client for the control interface of an emulator. */
export function control(url: string): Pick<Emulator, "setErrors" | "setFaults" | "state" | "waitFor"> {
  async function ask(path: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(`${url}/control/${path}`, { signal: AbortSignal.timeout(waitMs + 5000), ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`The emulator answers ${response.status} to /control/${path}: ${text}`);
    return text;
  }
  async function put(path: string, body: object): Promise<void> {
    await ask(path, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }
  return {
    setErrors: (errors) => put("errors", { errors }),
    setFaults: (faults) => put("faults", { faults }),
    state: async () => JSON.parse(await ask("state")) as EmulatorState,
    async waitFor(conditions) {
      const query = Object.entries({ ...conditions, timeoutMs: waitMs }).map(([name, value]) => `${name}=${value}`);
      return JSON.parse(await ask(`wait?${query.join("&")}`)) as EmulatorState;
    },
  };
}
