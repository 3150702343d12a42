import type { PanelSpec } from "../panels.ts";

/** One line of a panel: its legend, and its values over time; null at a time without a value. */
export type Line = { legend: string; values: (number | null)[] };

/** The time that a drawing shows, in seconds since 1970. */
export type Span = { from: number; to: number; step: number };

type Answer = { data: { result: { metric: Record<string, string>; values: [number, string][] }[] } };

/** Asks Prometheus for the lines of a panel, as Grafana does. */
export async function readPanel(prometheusUrl: string, { lines }: PanelSpec, span: Span): Promise<Line[]> {
  const read = await Promise.all(
    Object.entries(lines).map(async ([legend, expression]) => {
      const query = expression.replaceAll("$__rate_interval", "30s");
      const parameters = new URLSearchParams({ query, start: `${span.from}`, end: `${span.to}`, step: `${span.step}` });
      const response = await fetch(`${prometheusUrl}/api/v1/query_range?${parameters}`);
      if (!response.ok) throw new Error(`Prometheus refuses ${query}: ${await response.text()}`);
      const { data } = (await response.json()) as Answer;
      return data.result.map(({ metric, values }) => ({
        legend: legendOf(legend, metric),
        values: spread(values, span),
      }));
    }),
  );
  return read.flat();
}

function legendOf(pattern: string, metric: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/{{(\w+)}}/g, (_all, label: string) => metric[label] ?? "");
}

function spread(values: readonly [number, string][], { from, to, step }: Span): (number | null)[] {
  const known = new Map(values.map(([at, value]) => [Math.round((at - from) / step), Number(value)]));
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => {
    const value = known.get(index);
    return value !== undefined && Number.isFinite(value) ? value : null;
  });
}
