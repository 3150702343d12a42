import type { TokenCounts } from "./analysis-provider.ts";

/** The price of a million tokens in US dollars. `cached`: of those input tokens that the provider had kept. */
export type Price = { readonly input: number; readonly output: number; readonly cached: number };

/** Prices by model, such as those of the settings. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * What Google asks of paid projects, each from its day on, as read in October and November 2026. Output includes thinking.
 * A model with a longer name, such as a dated version, has the price of the model that it begins with.
 */
const table: Readonly<Record<string, readonly (Price & { readonly from: string })[]>> = {
  "gemini-2.5-flash-lite": [{ from: "2025-07-22", input: 0.1, output: 0.4, cached: 0.01 }],
  "gemini-3.1-pro-preview": [{ from: "2026-02-19", input: 2, output: 12, cached: 0.2 }],
  "gemini-3.5-flash-lite": [{ from: "2026-07-21", input: 0.3, output: 2.5, cached: 0.03 }],
  "gemini-3.8-flash": [
    { from: "2026-09-02", input: 0.75, output: 3.75, cached: 0.075 },
    { from: "2027-01-01", input: 1.5, output: 7.5, cached: 0.15 },
  ],
  "gemini-4-argon": [{ from: "2026-11-10", input: 2, output: 10, cached: 0.2 }],
  "gemini-4-carbon": [
    { from: "2026-11-10", input: 2, output: 10, cached: 0.2 },
    { from: "2026-12-01", input: 4, output: 20, cached: 0.4 },
  ],
};

/** No price of an unknown model is too low, so that a limit in dollars holds. */
const dearest: Price = { input: 4, output: 20, cached: 4 };
const million = 1_000_000;

/**
 * Returns what the provider asks for the tokens of a question and its answer, in US dollars.
 *
 * @param own prices that replace those of the table.
 * @param day the day of the question, `YYYY-MM-DD`.
 */
export function priceOf(model: string, tokens: TokenCounts, own: Prices = {}, day = today()): number {
  const { input, output, cached } = pricesOf(model, own, day);
  const fresh = tokens.input - tokens.cached;
  return (fresh * input + tokens.cached * cached + (tokens.output + tokens.thinking) * output) / million;
}

/** Returns the price of a million tokens of a model. */
export function pricesOf(model: string, own: Prices = {}, day = today()): Price {
  if (own[model]) return own[model];
  const [known] = Object.keys(table)
    .filter((name) => model === name || model.startsWith(`${name}-`))
    .sort((a, b) => b.length - a.length);
  const prices = (known && table[known]) || [];
  return prices.findLast(({ from }) => from <= day) ?? prices[0] ?? dearest;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
