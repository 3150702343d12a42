import type { IncomingMessage } from "node:http";
import type { Fault, Operation } from "../faults/fault.ts";
import type { RequestFacts } from "../faults/fault-plan.ts";

/** One request, as its handler receives it. */
export type Exchange = {
  request: IncomingMessage;
  url: URL;
  /** Scheme, host and port as the caller sees them. */
  origin: string;
  /** The groups that the route's pattern matched in the path. */
  params: readonly string[];
  /**
   * Injects the planned faults into this request (faults/inject-fault.ts). Returns the fault that the handler applies
   * itself, if any. Throws to end the request.
   */
  injectFault(operation: Operation, facts?: RequestFacts): Promise<Fault | undefined>;
};

/** Returns the value of a header, or the first value if there are several. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
