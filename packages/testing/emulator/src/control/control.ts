import { setTimeout as sleep } from "node:timers/promises";
import { readModelErrors } from "../answer/err.ts";
import { readFaults } from "../faults/faults.ts";
import { type Exchange, notFoundPage, type Reply, readJsonBody } from "../protocol/exchange.ts";
import type { State } from "../state.ts";

const maxBodyBytes = 1024 * 1024;

/** Answers the emulator's own endpoints, which need no key: faults, errors, state and wait (README). */
export async function handleControl(state: State, { request, url }: Exchange): Promise<Reply> {
  const change = async (apply: (body: unknown) => void): Promise<Reply> => {
    const body = await readJsonBody(request, maxBodyBytes);
    try {
      apply(body);
      return { status: 200, json: {} };
    } catch (error) {
      if (error instanceof RangeError) return { status: 400, json: { error: error.message } };
      throw error;
    }
  };
  switch (`${request.method} ${url.pathname}`) {
    case "PUT /control/faults":
      return change((body) => state.faults.replace(readFaults(body)));
    case "PUT /control/errors":
      return change((body) => {
        state.modelErrors.current = readModelErrors(body);
      });
    case "GET /control/state":
      return { status: 200, json: readState(state) };
    case "GET /control/wait":
      return waitForState(state, url, request);
    default:
      return notFoundPage;
  }
}

function readState({ faults, files, uploads, journal }: State) {
  const active = [...uploads.values()].filter(({ state }) => state === "active");
  const stored = [...files.all().map(({ size }) => size), ...active.map(({ received }) => received)];
  return {
    files: files.all().length,
    bytes: stored.reduce((sum, bytes) => sum + bytes, 0),
    // A session that was only started stores no bytes.
    openUploads: active.filter(({ hasChunk }) => hasChunk).length,
    ...journal,
    faultsLeft: faults.left(),
  };
}

/** Figures that must be reached exactly. The others may be exceeded. */
const exactFigures = new Set(["files", "bytes", "openUploads", "faultsLeft"]);
const lookEveryMs = 5;

async function waitForState(state: State, url: URL, request: Exchange["request"]): Promise<Reply> {
  const { timeoutMs = "30000", ...conditions } = Object.fromEntries(url.searchParams);
  const figures = () => {
    const { requests, ...others } = readState(state);
    const counts = Object.entries(requests).map(([name, count]) => [`requests.${name}`, count]);
    return { ...others, ...Object.fromEntries(counts) } as Record<string, unknown>;
  };
  for (const [name, value] of Object.entries({ ...conditions, timeoutMs })) {
    const isKnown = name === "timeoutMs" || typeof figures()[name] === "number";
    if (!isKnown || !(Number(value) >= 0)) return { status: 400, json: { error: `${name}=${value} is invalid.` } };
  }
  const holds = () => {
    const now = figures();
    return Object.entries(conditions).every(([name, value]) =>
      exactFigures.has(name) ? now[name] === Number(value) : Number(now[name]) >= Number(value),
    );
  };
  const until = performance.now() + Number(timeoutMs);
  while (!holds()) {
    const isOver = performance.now() > until || state.closing.aborted || request.socket.destroyed;
    if (isOver) return { status: 408, json: readState(state) };
    await sleep(lookEveryMs);
  }
  return { status: 200, json: readState(state) };
}
