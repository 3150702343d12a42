import type { Sql } from "postgres";
import type { Db } from "./open-database.ts";

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
