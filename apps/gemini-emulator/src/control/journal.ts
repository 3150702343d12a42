import { type Operation, operations } from "../faults/fault.ts";

/** One generateContent request, as the state tells of it. */
type GenerateEntry = {
  model: string;
  hasSchema: boolean;
  promptChars: number;
  videoPart: boolean;
  /** The video part stands before every text part. */
  videoFirst: boolean;
};

/** What has been asked so far. */
export type Journal = {
  count(operation: Operation): void;
  addUploadedBytes(bytes: number): void;
  addGenerate(entry: GenerateEntry): void;
  read(): { requests: Record<Operation, number>; uploadedBytes: number; generateLog: readonly GenerateEntry[] };
  /** Called after every change of what the state tells. Gives back how to stop. */
  onChange(listener: () => void): () => void;
  /** Tells the listeners that files or uploads have changed. */
  changed(): void;
};

const mostEntries = 1000;

/** An empty journal. */
export function createJournal(): Journal {
  const requests = Object.fromEntries(operations.map((operation) => [operation, 0])) as Record<Operation, number>;
  const generateLog: GenerateEntry[] = [];
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
      if (generateLog.length > mostEntries) generateLog.shift();
      changed();
    },
    read: () => ({ requests, uploadedBytes, generateLog }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed,
  };
}
