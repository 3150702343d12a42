import type { Sql, TransactionSql } from "postgres";

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
