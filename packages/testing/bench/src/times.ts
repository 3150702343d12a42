/** The 50th and the 99th percentile of times, in milliseconds. */
export type Latencies = { p50: number; p99: number };

const rounds = 3;

/** Returns the best of three rounds after a warm-up, because other load of the machine only adds time. */
export async function latenciesOf(
  work: () => Promise<unknown>,
  { times, together }: { times: number; together: number },
): Promise<Latencies> {
  await repeat(work, Math.ceil(times / 10), together);
  const all: Latencies[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push(summary(await repeat(work, Math.ceil(times / rounds), together)));
  }
  return all.reduce((best, other) => (other.p50 < best.p50 ? other : best));
}

/** Returns p50 and p99 of times in milliseconds, rounded to 0.01. */
export function summary(times: readonly number[]): Latencies {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.ceil(share * sorted.length) - 1] ?? 0) * 100) / 100;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Runs a function `times` times, `together` at once. Returns how long each call took, in milliseconds. */
export async function repeat(work: () => Promise<unknown>, times: number, together: number): Promise<number[]> {
  const taken: number[] = [];
  let left = times;
  const line = async () => {
    while (left-- > 0) taken.push(await timed(work));
  };
  await Promise.all(Array.from({ length: together }, line));
  return taken;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Returns the median of some numbers; NaN without any. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (Number(low) + Number(high)) / 2;
}
