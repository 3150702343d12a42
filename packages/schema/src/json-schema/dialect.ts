/** The supported dialects of JSON Schema, oldest first. */
export const dialects = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;

/** A supported dialect. */
export type Dialect = (typeof dialects)[number];

const spelling = /^https?:\/\/json-schema\.org\/(?:draft\/)?(draft-0[467]|2019-09|2020-12)\/(?:hyper-)?schema\/?#?\/?$/;

/** Returns the dialect that `$schema` names, with http or https and with or without `#`, or undefined. */
export function readDialect(uri: unknown): Dialect | undefined {
  const name = typeof uri === "string" ? spelling.exec(uri.trim())?.[1] : undefined;
  return dialects.find((dialect) => dialect === name);
}

/** Returns whether a dialect is `first` or a later one. */
export function isSince(dialect: Dialect, first: Dialect): boolean {
  return dialects.indexOf(dialect) >= dialects.indexOf(first);
}
