import { type CatalogueEntry, problems } from "./problem-catalogue.ts";

/** Returns the text of docs/errors.md: a table of the codes of the catalogue, and a section for each. */
export function errorDocument(): string {
  const entries = Object.entries<CatalogueEntry<unknown>>(problems);
  const rows = entries.map(
    ([code, { status, retryable, retryAfterSeconds }]) =>
      `| [\`${code}\`](#${code}) | ${status} | ${retryable ? "yes" : "no"} | ${retryAfterSeconds ?? ""} |`,
  );
  const sections = entries.flatMap(([code, { title, advice }]) => ["", `## \`${code}\``, "", `${title} ${advice}`]);
  return `${[
    "# Errors",
    "",
    'Every failure has the body `{"error":{"code","message","details"?}}`. Programs decide by `code`, which keeps its',
    "meaning. `message` is for people: it says what is wrong and what to do. A failed job is never charged. The header",
    '`Link` with `rel="help"` leads to the section of the code on this page.',
    "",
    '"Retryable" says whether the same request can succeed later. "Retry-After" is the usual value of that header in',
    "seconds. A single response may carry another value.",
    "",
    "[troubleshooting.md](troubleshooting.md) lists symptoms and more remedies.",
    "",
    "`pnpm docs:generate` writes this page from `packages/contract/src/errors/problem-catalogue.ts`.",
    "",
    "| code | status | retryable | Retry-After |",
    "|---|---|---|---|",
    ...rows,
    ...sections,
  ].join("\n")}\n`;
}
