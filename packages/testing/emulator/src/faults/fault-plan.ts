import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";
import type { Fault, Operation } from "./fault.ts";

/** The properties of a request that decide which faults match it. */
export type RequestFacts = { finalizes?: boolean; hasSchema?: boolean; model?: string };

/** The fault to inject into a request, if any, and the latency before it. */
type Injection = { fault: Fault | undefined; latencyMs: number };

/** The faults that are still to be injected. */
export type FaultPlan = {
  replace(faults: readonly Fault[]): void;
  append(faults: readonly Fault[]): void;
  /**
   * Counts the request for every fault that matches it. Returns the first fault that is due and the sum of the
   * latencies that are due.
   */
  take(operation: Operation, facts?: RequestFacts): Injection;
  /** Returns the number of injections that remain. A fault without end counts as one. */
  left(): number;
};

/** Creates an empty plan. The same faults and requests lead to the same injections: each fault has its own seed. */
export function createFaultPlan(): FaultPlan {
  let planned: PlannedFault[] = [];
  return {
    replace: (faults) => {
      planned = faults.map(planFault);
    },
    append: (faults) => {
      planned.push(...faults.map(planFault));
    },
    take(operation, facts = {}) {
      const injection: Injection = { fault: undefined, latencyMs: 0 };
      for (const entry of planned.filter(({ fault }) => matches(fault, operation, facts))) {
        entry.seen += 1;
        const isLatency = entry.fault.kind === "latency";
        const due = entry.seen > entry.fault.after && entry.left !== 0 && (isLatency || !injection.fault);
        if (!due || (entry.fault.probability < 1 && entry.random() >= entry.fault.probability)) continue;
        if (entry.left > 0) entry.left -= 1;
        if (isLatency) injection.latencyMs += entry.fault.ms ?? defaultLatencyMs;
        else injection.fault = entry.fault;
      }
      return injection;
    },
    left: () => planned.reduce((sum, { left }) => sum + Math.abs(left), 0),
  };
}

type PlannedFault = { fault: Fault; left: number; seen: number; random: () => number };

const defaultLatencyMs = 1000;

function planFault(fault: Fault): PlannedFault {
  const generator = mersenne(fault.seed);
  return { fault, left: fault.times, seen: 0, random: () => uniformFloat64(generator) };
}

function matches(fault: Fault, operation: Operation, facts: RequestFacts): boolean {
  if (fault.on !== operation) return false;
  if (fault.model !== undefined && fault.model !== facts.model) return false;
  if (fault.kind === "too-many-states") return facts.hasSchema === true;
  if (fault.kind === "cut-final-reply" && operation === "chunk") return facts.finalizes === true;
  return true;
}
