import Type from "typebox";
import { exact, orNull, Time } from "./fields.ts";

/**
 * `GET status`: the service for a person. `queue_wait_seconds` is how long the oldest waiting job waits; 0 if none does.
 * `provider` is what finished jobs say: `reachable` is null if none of the last hour asked it, `since` is the time of the
 * newest one that did.
 */
export const ServiceStatus = exact({
  queue_wait_seconds: Type.Number(),
  provider: exact({ reachable: orNull(Type.Boolean()), since: orNull(Time) }),
  version: Type.String(),
});
export type ServiceStatus = Type.Static<typeof ServiceStatus>;
