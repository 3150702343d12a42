import { refusalOf } from "../questions/refusal.ts";
import type { ServiceFault } from "../wire/service-fault.ts";

/**
 * Whether a copy that was asked for by name does not exist. One that is not ours is refused in the same words; a 403
 * that does not speak of the file is about the key, or comes from a proxy, and says nothing of the copy.
 */
export function isGone(fault: ServiceFault): boolean {
  if (fault.status === 404) return true;
  return fault.status === 403 && refusalOf(fault, false) === "file-gone";
}
