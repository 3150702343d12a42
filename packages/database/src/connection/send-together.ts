/**
 * Waits for statements of one transaction that were started together, which the driver sends together. When one of them
 * fails, PostgreSQL refuses those after it ("current transaction is aborted"), and these errors may arrive first.
 *
 * @param statements in the order in which they were started.
 * @returns their results.
 * @throws the error of the first statement that failed: the cause of all later ones.
 */
export async function sendTogether<const Results extends readonly unknown[]>(
  statements: {
    readonly [Index in keyof Results]: Promise<Results[Index]> | false;
  },
): Promise<Results> {
  const outcomes = await Promise.allSettled(statements);
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as unknown as Results;
}
