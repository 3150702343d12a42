import { problems } from "./problem-catalogue.ts";

/** docs/errors.md as text: a row a code, out of the catalogue itself. */
export function errorDocument(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, retryable, advice }]) => `| \`${code}\` | ${status} | ${retryable ? "yes" : "no"} | ${advice} |`,
  );
  return `${[
    "# Errors",
    "",
    'Every failure has the body `{"error":{"code","message","details"?}}`. `code` is the contract; `message` is for people and says what to do next. Nothing is charged for any of them. This page is written by `pnpm docs:errors`.',
    "",
    "| code | status | worth trying again as it is | what to do |",
    "|---|---|---|---|",
    ...rows,
  ].join("\n")}\n`;
}
