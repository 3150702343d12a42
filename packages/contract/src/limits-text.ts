import type { Limits } from "./limits.ts";

/** The limits that a caller meets, in words: a row for each, as `[what, how much]`. */
export function limitRows(limits: Limits): readonly (readonly [string, string])[] {
  return [
    ["length of a video, after rounding to the nearest second", seconds(limits.maxVideoSeconds)],
    ["size of an uploaded video", bytes(limits.maxUploadBytes)],
    ["size of a file behind a URL", bytes(limits.maxFileBytes)],
    [
      "schema",
      `${bytes(limits.maxSchemaBytes)} of JSON text, ${limits.maxSchemaDepth} levels, ${limits.maxSchemaValues} values`,
    ],
    ["instructions", `${limits.maxInstructionsCharacters} characters`],
    ["open jobs of an account, queued or running", String(limits.maxJobsPerAccount)],
    ["extractions of an account in a minute", String(limits.extractionsPerMinute)],
    ["reads of an account in a minute", String(limits.readsPerMinute)],
    ["time of a job, with its wait in the queue", seconds(limits.jobTimeoutSeconds)],
    ["minimum cost of a job", seconds(limits.minimumBilledSeconds)],
    ["free minutes of a new account, once", seconds(limits.freeSeconds)],
    ["time for which the service remembers an idempotency key", `${limits.idempotencyHours} h`],
  ];
}

/** The limits as a table in Markdown. */
export function limitsMarkdown(limits: Limits): string {
  return ["| limit | value |", "|---|---|", ...limitRows(limits).map(([what, much]) => `| ${what} | ${much} |`)].join(
    "\n",
  );
}

/** Returns docs/limits.md for a service with these limits. */
export function limitsDocument(limits: Limits): string {
  return `# Limits

The operator of a service sets its limits. The page at \`/docs/guides/limits.md\` of a running service shows its own.

${limitsMarkdown(limits)}

A request beyond a limit gets an error with the true figure, before anything is charged: [errors.md](errors.md). A file
that is too large for an upload may still be fetched from a URL.
`;
}

function seconds(count: number): string {
  return count >= 120 && count % 60 === 0 ? `${count / 60} minutes` : `${count} s`;
}

function bytes(count: number): string {
  const units = [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const;
  const [unit, size] = units.find(([, size]) => count >= size && count % size === 0) ?? ["bytes", 1];
  return `${count / size} ${unit}`;
}
