import { type Operation, operations } from "../faults/fault.ts";

/** One generateContent request, as the state shows it. */
type GenerateEntry = {
  model: string;
  hasSchema: boolean;
  promptChars: number;
  videoPart: boolean;
  /** The video part comes before every text part. */
  videoFirst: boolean;
};

/** The record of the requests so far. */
export type Journal = {
  count(operation: Operation): void;
  addUploadedBytes(bytes: number): void;
  addGenerate(entry: GenerateEntry): void;
  read(): {
    requests: Record<Operation, number>;
    uploadedBytes: number;
    /** How many generateContent requests each model got. */
    generateCounts: Readonly<Record<string, number>>;
    generateLog: readonly GenerateEntry[];
  };
  /** Calls the listener after every change of the state. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Calls the listeners after a change of files or uploads. */
  changed(): void;
};

const maxEntries = 1000;

/** Creates an empty journal. It keeps the last 1000 generateContent requests, and counts all. */
export function createJournal(): Journal {
  const requests = Object.fromEntries(operations.map((operation) => [operation, 0])) as Record<Operation, number>;
  const generateLog: GenerateEntry[] = [];
  const generateCounts = new Map<string, number>();
  const listeners = new Set<() => void>();
  let uploadedBytes = 0;
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  return {
    count(operation) {
      requests[operation] += 1;
      changed();
    },
    addUploadedBytes(bytes) {
      uploadedBytes += bytes;
      changed();
    },
    addGenerate(entry) {
      generateLog.push(entry);
      generateCounts.set(entry.model, (generateCounts.get(entry.model) ?? 0) + 1);
      if (generateLog.length > maxEntries) generateLog.shift();
      changed();
    },
    read: () => ({ requests, uploadedBytes, generateCounts: Object.fromEntries(generateCounts), generateLog }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
  };
}
