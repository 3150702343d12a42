import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

declare const axe: { run(options?: object): Promise<AxeResults> };

/** Returns the findings of axe about a page in both themes, one line each: `<rule>: <element>`. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(source);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await page.evaluate(() => axe.run());
  await page.emulateMedia({ colorScheme: "dark" });
  // Only colours differ between the themes.
  const dark = await page.evaluate(() => axe.run({ runOnly: ["color-contrast"] }));
  await page.emulateMedia({ colorScheme: "light" });
  return [...linesOf("light", light), ...linesOf("dark", dark)];
}

function linesOf(theme: string, { violations }: AxeResults): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${theme}, ${id}: ${html.slice(0, 160)} ${failureSummary?.replaceAll("\n", " ")}`,
    ),
  );
}
