import Type from "typebox";
import { exact, Seconds } from "./fields.ts";
import { ListedJob } from "./jobs.ts";

/**
 * `GET overview`. `balance_seconds` includes the holds of running jobs. `key_count` counts live keys. `month` is the
 * calendar month in UTC. `base_url` is the API's address, without a slash at the end.
 */
export const Overview = exact({
  balance_seconds: Seconds,
  held_seconds: Seconds,
  granted_seconds: Seconds,
  month: exact({ billed_seconds: Seconds, succeeded: Type.Integer(), failed: Type.Integer() }),
  recent_jobs: Type.Array(ListedJob),
  key_count: Type.Integer(),
  base_url: Type.String(),
});
export type Overview = Type.Static<typeof Overview>;
