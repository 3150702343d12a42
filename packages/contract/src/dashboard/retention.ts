import Type from "typebox";
import { exact, orNull } from "./fields.ts";

/** After how many days the contents of jobs are erased automatically. */
export const RetentionDays = Type.Enum([30, 7, 1]);

/** Body and answer of `PUT account/retention`. Null keeps the contents. */
export const Retention = exact({ days: orNull(RetentionDays) });
export type Retention = Type.Static<typeof Retention>;
