import type { PanelSpec } from "../panels.ts";

const scales: Readonly<Record<string, readonly [number, string][]>> = {
  bytes: [
    [2 ** 30, " GiB"],
    [2 ** 20, " MiB"],
    [2 ** 10, " KiB"],
  ],
  s: [
    [3600, " h"],
    [60, " min"],
    [1, " s"],
    [0.001, " ms"],
  ],
};

/** Returns a value in its unit, short enough for an axis. */
export function formatValue(value: number, unit: PanelSpec["unit"]): string {
  if (unit === "percentunit") return `${rounded(100 * value)} %`;
  if (unit === "currencyUSD") return `$${value < 0.01 && value > 0 ? value.toExponential(1) : rounded(value)}`;
  if (unit === "bool") return value === 1 ? "up" : value === 0 ? "down" : "";
  const scale = scales[unit === "Bps" ? "bytes" : unit]?.find(([size]) => Math.abs(value) >= size);
  const per = unit === "Bps" || unit === "reqps" || unit === "ops" ? "/s" : "";
  return scale ? `${rounded(value / scale[0])}${scale[1]}${per}` : `${rounded(value)}${per}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}
