import type { Sql, TransactionSql } from "postgres";
import type { Db, Tx } from "./open-database.ts";

type StatementOptions = {
  /**
   * Sends a statement that begins a transaction together with BEGIN. It must not change anything, because it runs even
   * if the server refuses the BEGIN. The other statements of the transaction do not.
   */
  readonly withBegin?: boolean;
};

/**
 * Runs a statement whose text never changes, and returns its rows as the driver reads them: 64-bit numbers are texts.
 * It is for the statements of every request, because drizzle takes longer to write such a text than the driver takes to
 * send it. Parameters are sent separately from the text; those that errors and logs must not show are `Withheld`.
 *
 * @param text the statement, with `$1`, `$2` … for the parameters. There is at least one.
 */
export async function runStatement<Row>(
  db: Db,
  text: string,
  parameters: readonly unknown[],
  options: StatementOptions = {},
): Promise<Row[]> {
  const { client } = (db as unknown as { session: { client: Pick<Sql, "unsafe"> } }).session;
  return (await client.unsafe(text, parameters as never[], options as object)) as unknown as Row[];
}

/**
 * A parameter that must not appear in errors or logs: callers' schemas, URLs and answers. Query errors list their
 * parameters; this one appears as "(withheld)".
 */
export class Withheld {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the text. Only the driver may call this. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "(withheld)";
  }

  toJSON(): string {
    return "(withheld)";
  }
}

/**
 * Makes a pool prepare each statement once on each connection. The driver asks the server for the types of a
 * statement's parameters, and drizzle makes it forget them. So each statement would take two round trips, and would
 * have to wait for the answer to the one before it. In a transaction, statements that are started together are sent
 * together.
 */
export function prepareStatements(client: Sql): void {
  const begin = client.begin.bind(client) as (work: Work) => Promise<unknown>;
  Object.assign(client, {
    // Outside a transaction, a connection gets one statement at a time, because a second one would wait behind a slow
    // one.
    unsafe: preparing(client, { onexecute: () => false }),
    begin: (work: Work) => begin((tx) => work(Object.assign(tx, { unsafe: preparing(tx, {}) }))),
  });
}

type Work = (tx: TransactionSql) => unknown;

function preparing({ unsafe }: Pick<Sql, "unsafe">, forAll: object) {
  return (text: string, parameters: never[] = [], options: object = {}) =>
    unsafe(text, parameters, { ...forAll, ...options, prepare: parameters.length > 0 });
}

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

/** Limits how long later statements of the transaction wait for a lock, to `ms` milliseconds. The default is 15 s. */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await runStatement(tx, "select set_config('lock_timeout', $1, true)", [String(ms)], { withBegin: true });
}
