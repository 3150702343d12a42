import Type from "typebox";
import { exact, orNull, Time } from "./fields.ts";

/**
 * `GET status`: the state of the service, for people. `queue_wait_seconds` is how long the oldest waiting job has
 * waited; 0 without waiting jobs. `provider` is derived from finished jobs: `since` is the time of the newest one that
 * asked the provider, and `reachable` is null if no job of the last hour did.
 */
export const ServiceStatus = exact({
  queue_wait_seconds: Type.Number(),
  provider: exact({ reachable: orNull(Type.Boolean()), since: orNull(Time) }),
  version: Type.String(),
});
export type ServiceStatus = Type.Static<typeof ServiceStatus>;
