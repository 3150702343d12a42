import { isJsonObject } from "@video-to-json/contract";

type Reader = (value: unknown, at: string) => unknown;

/** What `readEntries` returns for the members of an entry. */
export type Entry<Members extends Record<string, Reader>> = {
  [Name in keyof Members]: ReturnType<Members[Name]>;
};

/** Reads `{"<name>": […]}` or the list itself. Throws a RangeError that names the invalid member. */
export function readEntries<M extends Record<string, Reader>>(value: unknown, name: string, members: M): Entry<M>[] {
  const list = isJsonObject(value) ? value[name] : value;
  if (!Array.isArray(list)) throw new RangeError(`The body must be {"${name}": [...]}.`);
  return list.map((entry, index) => {
    const at = `${name}[${index}]`;
    if (!isJsonObject(entry)) throw new RangeError(`${at} must be an object.`);
    const unknown = Object.keys(entry).find((member) => !Object.hasOwn(members, member));
    if (unknown !== undefined)
      throw new RangeError(`${at}.${unknown} is unknown. Use ${Object.keys(members).join(", ")}.`);
    const read = Object.entries(members).map(([member, reader]) => [member, reader(entry[member], `${at}.${member}`)]);
    return Object.fromEntries(read) as Entry<M>;
  });
}

export function oneOf<const T extends string>(options: readonly T[]) {
  return (value: unknown, at: string): T => {
    const found = options.find((option) => option === value);
    if (found === undefined) throw new RangeError(`${at} must be one of ${options.join(", ")}.`);
    return found;
  };
}

/** Reads a number within bounds, or returns `fallback` for a missing one. */
export function number<T extends number | undefined>(fallback: T, min: number, max = Number.MAX_SAFE_INTEGER) {
  return (value: unknown, at: string): number | T => {
    if (value === undefined) return fallback;
    if (typeof value === "number" && value >= min && value <= max) return value;
    throw new RangeError(`${at} must be a number from ${min} to ${max}.`);
  };
}

export function text(form: RegExp) {
  return (value: unknown, at: string): string | undefined => {
    if (value === undefined || (typeof value === "string" && form.test(value))) return value;
    throw new RangeError(`${at} must match ${form.source}.`);
  };
}
