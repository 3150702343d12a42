import type { Sql } from "postgres";
import type { Db } from "./open-database.ts";

type StatementOptions = {
  /**
   * Sends a statement that begins a transaction together with BEGIN. It must change nothing: if the server refuses the
   * BEGIN, this statement still runs, by itself. No other statement of the transaction does.
   */
  readonly withBegin?: boolean;
};

/**
 * Runs a statement whose text never changes, and returns its rows as the driver reads them: numbers of 64 bits are
 * texts. For the statements of every request: drizzle takes longer to write such a text than the driver takes to send
 * it. Parameters are sent apart from the text; what errors and logs must not show is `Withheld`.
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
