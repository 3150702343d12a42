import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { mersenne } from "pure-rand/generator/mersenne";
import type { Fault, Operation } from "./fault.ts";

/** What a fault may look at before it strikes. */
export type RequestFacts = { finalizes?: boolean; hasSchema?: boolean; model?: string };

/** The fault that strikes a request, if any, and how long the request is held up first. */
type Strike = { fault: Fault | undefined; latencyMs: number };

/** The faults still to commit. */
export type FaultPlan = {
  replace(faults: readonly Fault[]): void;
  append(faults: readonly Fault[]): void;
  /** Every fault that the request could suffer counts it; the first that is due strikes, with every due latency. */
  take(operation: Operation, facts?: RequestFacts): Strike;
  /** Strikes still to come; a fault without end counts as one. */
  left(): number;
};

/** An empty plan. The same faults and the same requests give the same strikes: chance comes from each fault's seed. */
export function createFaultPlan(): FaultPlan {
  let planned: Planned[] = [];
  return {
    replace: (faults) => {
      planned = faults.map(plan);
    },
    append: (faults) => {
      planned.push(...faults.map(plan));
    },
    take(operation, facts = {}) {
      const strike: Strike = { fault: undefined, latencyMs: 0 };
      for (const entry of planned.filter(({ fault }) => couldStrike(fault, operation, facts))) {
        entry.seen += 1;
        const isLatency = entry.fault.kind === "latency";
        const due = entry.seen > entry.fault.after && entry.left !== 0 && (isLatency || !strike.fault);
        if (!due || (entry.fault.probability < 1 && entry.chance() >= entry.fault.probability)) continue;
        if (entry.left > 0) entry.left -= 1;
        if (isLatency) strike.latencyMs += entry.fault.ms ?? defaultLatencyMs;
        else strike.fault = entry.fault;
      }
      return strike;
    },
    left: () => planned.reduce((sum, { left }) => sum + Math.abs(left), 0),
  };
}

type Planned = { fault: Fault; left: number; seen: number; chance: () => number };

const defaultLatencyMs = 1000;

function plan(fault: Fault): Planned {
  const generator = mersenne(fault.seed);
  return { fault, left: fault.times, seen: 0, chance: () => uniformFloat64(generator) };
}

function couldStrike(fault: Fault, operation: Operation, facts: RequestFacts): boolean {
  if (fault.on !== operation) return false;
  if (fault.model !== undefined && fault.model !== facts.model) return false;
  if (fault.kind === "too-many-states") return facts.hasSchema === true;
  if (fault.kind === "cut-final-reply" && operation === "chunk") return facts.finalizes === true;
  return true;
}
