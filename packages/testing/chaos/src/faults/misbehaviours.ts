/** How the provider misbehaves. */
export type Misbehaviour = "provider fails" | "provider hangs" | "provider lies";

/** Returns the faults of a kind in the form of the emulator (packages/testing/emulator/README.md). */
export function misbehaviours(kind: Misbehaviour, seed: number): object[] {
  return setsOf[kind].map((fault, index) => ({ times: 3, probability: 0.5, seed: seed + index, ...fault }));
}

const setsOf: Record<Misbehaviour, object[]> = {
  "provider fails": [
    { on: "generate", kind: "status", status: 503 },
    { on: "generate", kind: "status", status: 429, retryDelay: "1s", times: 2 },
    { on: "generate", kind: "drop" },
    { on: "start", kind: "status", status: 500, times: 2 },
    { on: "chunk", kind: "drop", afterBytes: 4096 },
    { on: "chunk", kind: "cut-final-reply" },
    { on: "cancel", kind: "status", status: 503 },
    { on: "get", kind: "status", status: 503 },
    { on: "delete", kind: "status", status: 503 },
    { on: "list", kind: "status", status: 500 },
  ],
  "provider hangs": [
    { on: "generate", kind: "hang", ms: 5000 },
    { on: "generate", kind: "latency", ms: 3000, times: 6 },
    { on: "chunk", kind: "hang", ms: 4000, times: 2 },
    { on: "start", kind: "hang", ms: 3000, times: 1 },
    { on: "get", kind: "hang", ms: 3000, times: 2 },
    { on: "get", kind: "processing" },
    { on: "delete", kind: "hang", ms: 3000, times: 1 },
  ],
  "provider lies": [
    { on: "generate", kind: "violate-schema", times: 6 },
    { on: "generate", kind: "malformed-json" },
    { on: "generate", kind: "malformed-body" },
    { on: "generate", kind: "max-tokens" },
    { on: "generate", kind: "empty" },
    { on: "generate", kind: "no-parts" },
    { on: "generate", kind: "zero-video-tokens", times: 1 },
    { on: "generate", kind: "thoughts" },
    { on: "get", kind: "vanish", times: 1 },
    { on: "get", kind: "failed", times: 1 },
    { on: "get", kind: "malformed-body", times: 2 },
  ],
};
