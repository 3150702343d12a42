import type { Manifest } from "./shipped-packages.ts";

/** Licences that require attribution only. */
const allowed = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

/** Returns whether an SPDX expression is allowed: an OR needs one allowed side, an AND needs both. */
export function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\(([^()]*)\)$/, "$1").trim();
  const group = /\(([^()]*)\)/.exec(plain);
  if (group?.[1] !== undefined) return isAllowed(plain.replace(group[0], isAllowed(group[1]) ? "MIT" : "none"));
  return plain.split(/ OR /i).some((side) => side.split(/ AND /i).every((part) => allowed.has(part.trim())));
}

/** Returns the licence of a package, in its current or a former notation; undefined if the package names no licence. */
export function licenceOf({ license, licenses }: Pick<Manifest, "license" | "licenses">): string | undefined {
  if (Array.isArray(licenses)) return licenses.map((one) => licenceOf({ license: one })).join(" OR ");
  if (typeof license === "string") return license;
  const type = (license as { type?: unknown } | null | undefined)?.type;
  return typeof type === "string" ? type : undefined;
}
