/** The dialects of JSON Schema that are understood, oldest first. */
export const dialects = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;

/** One of the dialects. */
export type Dialect = (typeof dialects)[number];

const spelling = /^https?:\/\/json-schema\.org\/(?:draft\/)?(draft-0[467]|2019-09|2020-12)\/(?:hyper-)?schema\/?#?\/?$/;

/** The dialect that a `$schema` names, however it is spelled (http or https, with or without `#`), or undefined. */
export function readDialect(uri: unknown): Dialect | undefined {
  const name = typeof uri === "string" ? spelling.exec(uri.trim())?.[1] : undefined;
  return dialects.find((dialect) => dialect === name);
}

/** Whether a dialect is the one named or a later one. */
export function isSince(dialect: Dialect, first: Dialect): boolean {
  return dialects.indexOf(dialect) >= dialects.indexOf(first);
}
