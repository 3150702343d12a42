import assert from "node:assert/strict";

type Write = (line: string) => void;

/** Creates a report whose lines begin with the time since its start. */
export function createReport(write: Write) {
  const start = performance.now();
  const line = (text: string) => write(`${((performance.now() - start) / 1000).toFixed(0).padStart(5)} s  ${text}\n`);
  return {
    /** Throws if the values differ; otherwise writes a line. */
    same(what: string, value: unknown, expected: unknown) {
      assert.deepEqual(value, expected, what);
      line(`ok: ${what}`);
    },
    note: line,
  };
}

export type Step = {
  readonly docker: { readonly env: NodeJS.ProcessEnv };
  readonly repository: string;
  readonly directory: string;
  readonly video: Buffer;
  /** The first port of this machine that the installations use. */
  readonly port: number;
  readonly report: ReturnType<typeof createReport>;
};
