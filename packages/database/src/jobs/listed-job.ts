import { getTableColumns } from "drizzle-orm";
import { jobs } from "../tables/jobs.ts";

const { id, status, createdAt, startedAt, finishedAt, durationMs, billedSeconds, model, errorText } =
  getTableColumns(jobs);

/** The columns of a job in a list. */
export const listedColumns = {
  id,
  status,
  createdAt,
  startedAt,
  finishedAt,
  durationMs,
  billedSeconds,
  model,
  errorText,
};

/** A job without its contents. */
export type ListedJob = Pick<typeof jobs.$inferSelect, keyof typeof listedColumns>;
