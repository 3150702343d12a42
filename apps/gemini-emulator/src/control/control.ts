import { type Fault, readFaults } from "../faults/fault.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import type { FileStore } from "../files/file-store.ts";
import type { Exchange } from "../protocol/exchange.ts";
import { readJsonBody } from "../protocol/read-body.ts";
import { noSuchPage, type Reply } from "../protocol/reply.ts";
import type { UploadSessions } from "../uploads/upload-sessions.ts";
import type { Journal } from "./journal.ts";

type Deps = {
  faults: FaultPlan;
  files: Pick<FileStore, "count" | "bytes">;
  uploads: Pick<UploadSessions, "openCount" | "bytes">;
  journal: Journal;
  closing: AbortSignal;
};

/** The emulator's own endpoints, under /control/ and without a key: faults, state, wait (README, "Control"). */
export async function handleControl(deps: Deps, { request, url }: Exchange): Promise<Reply> {
  const what = `${request.method} ${url.pathname}`;
  switch (what) {
    case "PUT /control/faults":
      return changeFaults(deps.faults.replace, request);
    case "POST /control/faults":
      return changeFaults(deps.faults.append, request);
    case "DELETE /control/faults":
      deps.faults.replace([]);
      return { status: 200, json: {} };
    case "GET /control/state":
      return { status: 200, json: readState(deps) };
    case "GET /control/wait":
      return waitForState(deps, url, request);
    default:
      return noSuchPage;
  }
}

const mostBytes = 1024 * 1024;

async function changeFaults(change: (faults: Fault[]) => void, request: Exchange["request"]): Promise<Reply> {
  const body = await readJsonBody(request, mostBytes);
  try {
    const faults = readFaults(body);
    change(faults);
    return { status: 200, json: { faults: faults.length } };
  } catch (error) {
    if (error instanceof RangeError) return { status: 400, json: { error: error.message } };
    throw error;
  }
}

function readState({ faults, files, uploads, journal }: Deps): Record<string, unknown> {
  const { requests, uploadedBytes, generateLog } = journal.read();
  return {
    files: files.count(),
    bytes: files.bytes() + uploads.bytes(),
    openUploads: uploads.openCount(),
    requests,
    uploadedBytes,
    generateLog,
    faultsLeft: faults.left(),
  };
}

const exact = new Set(["files", "bytes", "openUploads", "faultsLeft"]);

async function waitForState(deps: Deps, url: URL, request: Exchange["request"]): Promise<Reply> {
  const timeoutMs = Number(url.searchParams.get("timeoutMs") ?? 30_000);
  const conditions = [...url.searchParams].filter(([name]) => name !== "timeoutMs");
  const wrong = conditions.find(
    ([name, value]) => !Number.isFinite(read(deps, name)) || !Number.isFinite(Number(value)),
  );
  if (wrong || !(timeoutMs >= 0 && timeoutMs <= 600_000)) {
    return { status: 400, json: { error: `Cannot wait for ${wrong?.join("=") ?? "that long"}.` } };
  }
  const holds = () =>
    conditions.every(([name, value]) => {
      const now = read(deps, name);
      return exact.has(name) ? now === Number(value) : now >= Number(value);
    });
  const reached = await until(holds, deps, request, timeoutMs);
  return { status: reached ? 200 : 408, json: readState(deps) };
}

function read(deps: Deps, name: string): number {
  const state = readState(deps);
  const [first = "", second] = name.split(".");
  const value = Object.hasOwn(state, first) ? state[first] : undefined;
  if (second === undefined) return typeof value === "number" ? value : Number.NaN;
  if (first !== "requests") return Number.NaN;
  const requests = value as Record<string, number>;
  return Object.hasOwn(requests, second) ? (requests[second] ?? Number.NaN) : Number.NaN;
}

function until(holds: () => boolean, deps: Deps, request: Exchange["request"], timeoutMs: number): Promise<boolean> {
  if (holds()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (reached: boolean) => {
      clearTimeout(timer);
      stopListening();
      deps.closing.removeEventListener("abort", giveUp);
      request.socket.off("close", giveUp);
      resolve(reached);
    };
    const giveUp = () => end(false);
    const timer = setTimeout(giveUp, timeoutMs);
    const stopListening = deps.journal.onChange(() => {
      if (holds()) end(true);
    });
    deps.closing.addEventListener("abort", giveUp, { once: true });
    request.socket.once("close", giveUp);
  });
}
