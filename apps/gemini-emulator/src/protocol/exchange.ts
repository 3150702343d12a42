import type { IncomingMessage } from "node:http";
import type { Fault, Operation } from "../faults/fault.ts";
import type { RequestFacts } from "../faults/fault-plan.ts";

/** One request on its way to its reply. */
export type Exchange = {
  request: IncomingMessage;
  url: URL;
  /** Scheme, host and port as the caller sees them. */
  origin: string;
  /** What the path's pattern caught. */
  params: readonly string[];
  /**
   * Lets a planned fault strike: waits out latency, throws for what ends the request here (a status, a dropped or
   * hanging connection, a broken body), and gives back what the handler has to act out itself.
   */
  strike(operation: Operation, facts?: RequestFacts): Promise<Fault | undefined>;
};

/** A header's one value. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
