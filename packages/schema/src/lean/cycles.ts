import type { LinkedSchema } from "../json-schema/plain-schema.ts";

/** Returns the name of the definition that a reference points to. */
export function definitionName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/** Returns a test whether one definition of a linked schema refers to another, directly or through others. */
export function createReachability({ $defs }: LinkedSchema): (from: string, to: string) => boolean {
  const next = new Map(Object.entries($defs).map(([name, schema]) => [name, referencesIn(schema)]));
  const reached = new Map<string, Set<string>>();

  return (from, to) => {
    const known = reached.get(from);
    if (known) return known.has(to);
    const all = new Set(next.get(from));
    for (const name of all) for (const further of next.get(name) ?? []) all.add(further);
    reached.set(from, all);
    return all.has(to);
  };
}

function referencesIn(value: unknown): Set<string> {
  const found = new Set<string>();
  visit(value);
  return found;

  function visit(part: unknown): void {
    if (typeof part !== "object" || part === null) return;
    if ("$ref" in part && typeof part.$ref === "string") found.add(definitionName(part.$ref));
    for (const inner of Object.values(part)) visit(inner);
  }
}
