import { nameOf } from "@video-to-json/contract/shapes/named";

/**
 * Returns a copy of a part of the interface description in which every named shape is a reference, and adds the shapes
 * themselves to `schemas` (`components.schemas`).
 */
export function withReferences(part: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((item) => withReferences(item, schemas));
  if (typeof part !== "object" || part === null) return part;
  const name = nameOf(part);
  if (name === undefined) return membersWithReferences(part, schemas);
  if (!(name in schemas)) {
    // The name is taken before its members are read, so that it comes before the shapes inside it.
    schemas[name] = undefined;
    schemas[name] = membersWithReferences(part, schemas);
  }
  return { $ref: `#/components/schemas/${name}` };
}

function membersWithReferences(part: object, schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, withReferences(member, schemas)]));
}
