import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { moment } from "./column-types.ts";

/** One row for each maintenance task. Any worker runs a task that is due. */
export const maintenance = pgTable("maintenance", {
  name: text("name").primaryKey(),
  /** Raised by every claim, so that a worker whose claim was taken over no longer changes the row. */
  fence: integer("fence").notNull().default(1),
  /** When the task is due. While the task runs, the end of its lease. */
  nextRunAt: moment("next_run_at").notNull(),
});
