import { readModelErrors } from "../answer/errors/model-error.ts";
import type { ModelErrors } from "../answer/errors/model-errors.ts";
import { type Fault, readFaults } from "../faults/fault.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import type { FileStore } from "../files/file-store.ts";
import type { Exchange } from "../protocol/exchange.ts";
import { readJsonBody } from "../protocol/read-body.ts";
import { notFoundPage, type Reply } from "../protocol/reply.ts";
import type { UploadSessions } from "../uploads/upload-sessions.ts";
import type { Journal } from "./journal.ts";

/** What the control endpoints need. */
export type ControlDeps = {
  readonly faults: FaultPlan;
  readonly modelErrors: ModelErrors;
  readonly files: Pick<FileStore, "count" | "bytes">;
  readonly uploads: Pick<UploadSessions, "openCount" | "bytes">;
  readonly journal: Journal;
  /** Aborted when the emulator closes. */
  readonly closing: AbortSignal;
};

/** Answers the emulator's own endpoints, which need no key: faults, errors, state and wait (README, "Control"). */
export async function handleControl(deps: ControlDeps, { request, url }: Exchange): Promise<Reply> {
  switch (`${request.method} ${url.pathname}`) {
    case "PUT /control/faults":
      return changeFaults(deps.faults.replace, request);
    case "POST /control/faults":
      return changeFaults(deps.faults.append, request);
    case "DELETE /control/faults":
      deps.faults.replace([]);
      return { status: 200, json: {} };
    case "PUT /control/errors":
      return changeErrors(deps.modelErrors, request);
    case "GET /control/state":
      return { status: 200, json: readState(deps) };
    case "GET /control/wait":
      return waitForState(deps, url, request);
    default:
      return notFoundPage;
  }
}

const maxBodyBytes = 1024 * 1024;

async function changeFaults(change: (faults: Fault[]) => void, request: Exchange["request"]): Promise<Reply> {
  const body = await readJsonBody(request, maxBodyBytes);
  try {
    const faults = readFaults(body);
    change(faults);
    return { status: 200, json: { faults: faults.length } };
  } catch (error) {
    if (error instanceof RangeError) return { status: 400, json: { error: error.message } };
    throw error;
  }
}

async function changeErrors(modelErrors: ModelErrors, request: Exchange["request"]): Promise<Reply> {
  const body = await readJsonBody(request, maxBodyBytes);
  try {
    const errors = readModelErrors(body);
    modelErrors.replace(errors);
    return { status: 200, json: { errors: errors.length } };
  } catch (error) {
    if (error instanceof RangeError) return { status: 400, json: { error: error.message } };
    throw error;
  }
}

function readState({ faults, files, uploads, journal }: ControlDeps): Record<string, unknown> {
  const { requests, uploadedBytes, generateCounts, generateLog } = journal.read();
  return {
    files: files.count(),
    bytes: files.bytes() + uploads.bytes(),
    openUploads: uploads.openCount(),
    requests,
    uploadedBytes,
    generateCounts,
    generateLog,
    faultsLeft: faults.left(),
  };
}

/** Figures that must be reached exactly. The others may be exceeded. */
const exactFigures = new Set(["files", "bytes", "openUploads", "faultsLeft"]);

const maxWaitMs = 600_000;

async function waitForState(deps: ControlDeps, url: URL, request: Exchange["request"]): Promise<Reply> {
  const timeoutMs = Number(url.searchParams.get("timeoutMs") ?? 30_000);
  const conditions = [...url.searchParams].filter(([name]) => name !== "timeoutMs");
  const wrong = conditions.find(
    ([name, value]) => !Number.isFinite(figure(deps, name)) || !Number.isFinite(Number(value)),
  );
  if (wrong) return { status: 400, json: { error: `${wrong.join("=")} is not a figure of the state with a number.` } };
  if (!(timeoutMs >= 0 && timeoutMs <= maxWaitMs)) {
    return { status: 400, json: { error: `timeoutMs must be a number from 0 to ${maxWaitMs}.` } };
  }
  const holds = () =>
    conditions.every(([name, value]) => {
      const now = figure(deps, name);
      return exactFigures.has(name) ? now === Number(value) : now >= Number(value);
    });
  const reached = await waitUntil(holds, deps, request, timeoutMs);
  return { status: reached ? 200 : 408, json: readState(deps) };
}

/** Returns a figure of the state by its name, such as `files` or `requests.get`, or NaN for an unknown name. */
function figure(deps: ControlDeps, name: string): number {
  const state = readState(deps);
  const [first = "", second] = name.split(".");
  const value = Object.hasOwn(state, first) ? state[first] : undefined;
  if (second === undefined) return typeof value === "number" ? value : Number.NaN;
  if (first !== "requests") return Number.NaN;
  const requests = value as Record<string, number>;
  return Object.hasOwn(requests, second) ? (requests[second] ?? Number.NaN) : Number.NaN;
}

/** Returns true when the condition holds, or false after the timeout or when the connection or the emulator closes. */
function waitUntil(
  holds: () => boolean,
  { journal, closing }: Pick<ControlDeps, "journal" | "closing">,
  request: Exchange["request"],
  timeoutMs: number,
): Promise<boolean> {
  if (holds()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (reached: boolean) => {
      clearTimeout(timer);
      stopListening();
      closing.removeEventListener("abort", giveUp);
      request.socket.off("close", giveUp);
      resolve(reached);
    };
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, timeoutMs);
    const stopListening = journal.onChange(() => {
      if (holds()) end(true);
    });
    closing.addEventListener("abort", giveUp, { once: true });
    request.socket.once("close", giveUp);
  });
}
