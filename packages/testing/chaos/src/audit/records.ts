import type { Db } from "@video-to-json/database";

/** A row of a table, by column. Each value is its text in PostgreSQL; a moment is in milliseconds since 1970. */
export type Row = Readonly<Record<string, string | null>>;

/** A column of the database, and its type (`udt_name`). */
export type Column = { table: string; column: string; type: string };

/** All columns of the database, and all rows by table. */
export type Records = { columns: readonly Column[]; tables: Readonly<Record<string, readonly Row[]>> };

/** Reads every column of every table, in one snapshot. */
export function readRecords(db: Db): Promise<Records> {
  return db.transaction(
    async (tx) => {
      const columns = await tx.execute<Column>(`select table_name as "table", column_name as "column", udt_name as type
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name, ordinal_position`);
      const tables: Record<string, readonly Row[]> = {};
      for (const [table, own] of Map.groupBy(columns, (column) => column.table)) {
        const values = own.map(({ column, type }) =>
          type === "timestamptz"
            ? `(extract(epoch from "${column}") * 1000)::text as "${column}"`
            : `"${column}"::text as "${column}"`,
        );
        tables[table] = await tx.execute<Row>(`select ${values.join(", ")} from "${table}"`);
      }
      return { columns, tables };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** The columns of a job's row that most rules of the audit read. */
export type JobRecord = ReturnType<typeof jobOf>;

export function jobsIn({ tables }: Records): JobRecord[] {
  return (tables.jobs ?? []).map(jobOf).toSorted((a, b) => a.createdAt - b.createdAt);
}

function jobOf(row: Row) {
  const error = parsed(row.error) as { code?: string } | null;
  const marker = parsed(row.instructions);
  return {
    id: row.id ?? "",
    accountId: row.account_id ?? "",
    status: row.status ?? "",
    /** The instructions of its request. Empty when the job is erased. */
    marker: typeof marker === "string" ? marker : "",
    dataText: row.data ?? null,
    evidenceText: row.evidence ?? null,
    errorCode: error?.code ?? null,
    durationMs: numberOf(row.duration_ms),
    billedSeconds: Number(row.billed_seconds),
    createdAt: Number(row.created_at),
    deadlineAt: Number(row.deadline_at),
    finishedAt: numberOf(row.finished_at),
    isErased: row.erased_at !== null,
  };
}

export function numberOf(value: string | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}

/** Returns the value of a JSON text, and null for any other text. */
export function parsed(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
