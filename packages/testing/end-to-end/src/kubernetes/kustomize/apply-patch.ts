/** One step of a JSON patch (RFC 6902). */
export type PatchStep = { op: string; path: string; value?: unknown };

type Node = Record<string, unknown>;

/** Applies the steps `add` and `replace` of a JSON patch to `target`, in place. Throws if a path leads nowhere. */
export function applyPatch(target: Node, steps: readonly PatchStep[]): void {
  for (const { op, path, value } of steps) {
    const names = path.slice(1).split("/").map(unescaped);
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>((node, name) => (node as Node | undefined)?.[name], target);
    if (typeof parent !== "object" || parent === null) throw new Error(`${path} leads nowhere`);
    if (op === "add" && Array.isArray(parent) && last === "-") parent.push(structuredClone(value));
    else if (op === "add" && !Array.isArray(parent)) (parent as Node)[last] = structuredClone(value);
    else if (op === "replace" && last in parent) (parent as Node)[last] = structuredClone(value);
    else throw new Error(`${op} ${path} is not supported here, or leads nowhere`);
  }
}

/**
 * Merges the maps of `patch` into `target`, in place. Throws for a list, because only kustomize knows how lists merge.
 */
export function mergeMaps(target: Node, patch: Node): void {
  for (const [name, value] of Object.entries(patch)) {
    if (Array.isArray(value)) throw new Error(`${name} is a list: use a JSON patch`);
    const old = target[name];
    if (isMap(old) && isMap(value)) mergeMaps(old, value);
    else target[name] = structuredClone(value);
  }
}

function isMap(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unescaped(name: string): string {
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
