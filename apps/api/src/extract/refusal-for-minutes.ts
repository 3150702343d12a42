import { type Limits, Problem } from "@video-to-json/contract";

/** Returns out_of_minutes unless the available seconds of the account cover the smallest bill of a job. */
export function refusalForMinutes(
  availableSeconds: number,
  { minimumBilledSeconds }: Pick<Limits, "minimumBilledSeconds">,
): Problem | undefined {
  if (availableSeconds >= minimumBilledSeconds) return undefined;
  return new Problem("out_of_minutes", {
    neededSeconds: minimumBilledSeconds,
    availableSeconds: Math.max(0, availableSeconds),
  });
}
