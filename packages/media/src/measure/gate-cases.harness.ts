/** A test case that starts with its name. */
type NamedCase = readonly [name: string, ...rest: unknown[]];

/**
 * Returns the cases with these names, or all of them for `./scripts/test --all`. Throws if a name belongs to no case.
 */
export function gateCases<T extends NamedCase>(cases: readonly T[], core: readonly string[], all: boolean): T[] {
  const names = new Set(cases.map(([name]) => name));
  const unknown = core.filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`No such case: ${unknown.join(", ")}`);
  return cases.filter(([name]) => all || core.includes(name));
}
