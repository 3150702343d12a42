/**
 * Returns a view of `value` that records which members are read, and a function that returns the paths of unread
 * members. A compiled schema reads each field that it knows, so an unread field is not in the schema.
 */
export function recordReads(value: unknown): { data: unknown; unread(): string[] } {
  const all = new Set<string>();
  const read = new Set<string>();
  const view = (node: unknown, path: string): unknown => {
    if (typeof node !== "object" || node === null) return node;
    const members = new Map<string, unknown>();
    for (const [name, member] of Object.entries(node)) {
      all.add(`${path}/${name}`);
      members.set(name, view(member, `${path}/${name}`));
    }
    return new Proxy(node, {
      get(target, name, receiver) {
        if (typeof name !== "string" || !members.has(name)) return Reflect.get(target, name, receiver);
        read.add(`${path}/${name}`);
        return members.get(name);
      },
    });
  };
  const data = view(value, "");
  // Nothing below an unread member was read either, so only the member is reported.
  const unread = () => [...all].filter((path) => !read.has(path) && isTop(path, read));
  return { data, unread };
}

function isTop(path: string, read: ReadonlySet<string>): boolean {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return parent === "" || read.has(parent);
}
