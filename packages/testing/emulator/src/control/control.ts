import { type ModelError, readModelErrors } from "../answer/err.ts";
import { type Operation, operations, readFaults } from "../faults/fault.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import type { FileStore } from "../files/files.ts";
import { type Exchange, readJsonBody } from "../protocol/exchange.ts";
import { notFoundPage, type Reply } from "../protocol/reply.ts";
import type { UploadSession } from "../uploads/start-upload.ts";

/** One generateContent request, as the state shows it. `videoFirst`: the video part comes before every text part. */
type GenerateEntry = {
  model: string;
  hasSchema: boolean;
  promptChars: number;
  videoPart: boolean;
  videoFirst: boolean;
};

const maxEntries = 1000;

/** The record of the requests so far. `generateLog` has the last 1000 requests, `generateCounts` all, by model. */
export class Journal {
  readonly requests = Object.fromEntries(operations.map((operation) => [operation, 0])) as Record<Operation, number>;
  readonly generateCounts: Record<string, number> = {};
  readonly generateLog: GenerateEntry[] = [];
  readonly listeners = new Set<() => void>();
  uploadedBytes = 0;

  count(operation: Operation): void {
    this.requests[operation] += 1;
    this.changed();
  }

  addUploadedBytes(bytes: number): void {
    this.uploadedBytes += bytes;
    this.changed();
  }

  addGenerate(entry: GenerateEntry): void {
    this.generateLog.push(entry);
    this.generateCounts[entry.model] = (this.generateCounts[entry.model] ?? 0) + 1;
    if (this.generateLog.length > maxEntries) this.generateLog.shift();
    this.changed();
  }

  /** Calls the listeners after a change of the state. */
  changed(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

/** What the control endpoints need. */
export type ControlDeps = {
  readonly faults: FaultPlan;
  /** How the model errs now. */
  readonly modelErrors: { current: readonly ModelError[] };
  readonly files: Pick<FileStore, "all">;
  readonly uploads: ReadonlyMap<string, UploadSession>;
  readonly journal: Journal;
  /** Aborted when the emulator closes. */
  readonly closing: AbortSignal;
};

const maxBodyBytes = 1024 * 1024;

/** Answers the emulator's own endpoints, which need no key: faults, errors, state and wait (README). */
export async function handleControl(deps: ControlDeps, { request, url }: Exchange): Promise<Reply> {
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
      return change((body) => deps.faults.replace(readFaults(body)));
    case "PUT /control/errors":
      return change((body) => {
        deps.modelErrors.current = readModelErrors(body);
      });
    case "GET /control/state":
      return { status: 200, json: readState(deps) };
    case "GET /control/wait":
      return waitForState(deps, url, request);
    default:
      return notFoundPage;
  }
}

function readState({ faults, files, uploads, journal }: ControlDeps) {
  const active = [...uploads.values()].filter(({ state }) => state === "active");
  const { requests, uploadedBytes, generateCounts, generateLog } = journal;
  return {
    files: files.all().length,
    bytes:
      files.all().reduce((sum, { size }) => sum + size, 0) + active.reduce((sum, { received }) => sum + received, 0),
    // A session that was only started stores no bytes.
    openUploads: active.filter(({ hasChunk }) => hasChunk).length,
    ...{ requests, uploadedBytes, generateCounts, generateLog },
    faultsLeft: faults.left(),
  };
}

/** Figures that must be reached exactly. The others may be exceeded. */
const exactFigures = new Set(["files", "bytes", "openUploads", "faultsLeft"]);

async function waitForState(deps: ControlDeps, url: URL, request: Exchange["request"]): Promise<Reply> {
  const { timeoutMs = "30000", ...conditions } = Object.fromEntries(url.searchParams);
  const figures = () => {
    const { requests, ...state } = readState(deps);
    const counts = Object.entries(requests).map(([name, count]) => [`requests.${name}`, count]);
    return { ...state, ...Object.fromEntries(counts) } as Record<string, unknown>;
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
  const reached = holds() || (await untilHolds(holds, deps, request, Number(timeoutMs)));
  return { status: reached ? 200 : 408, json: readState(deps) };
}

/** Returns true when the condition holds, or false after the timeout or when the connection or the emulator closes. */
async function untilHolds(
  holds: () => boolean,
  { journal, closing }: ControlDeps,
  { socket }: Exchange["request"],
  timeoutMs: number,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const giveUp = () => resolve(false);
  const check = () => void (holds() && resolve(true));
  const timer = setTimeout(giveUp, timeoutMs);
  journal.listeners.add(check);
  closing.addEventListener("abort", giveUp);
  socket.once("close", giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    journal.listeners.delete(check);
    closing.removeEventListener("abort", giveUp);
    socket.off("close", giveUp);
  }
}
