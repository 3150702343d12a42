import { expect, test } from "vitest";
import { dashboards } from "../panels.ts";
import { drawDashboard } from "./draw-dashboard.ts";
import { formatValue } from "./format-value.ts";

test("a drawing has each panel, and says where there is no data", () => {
  const { money } = dashboards;
  if (!money) throw new Error("There is no dashboard of that name.");
  const panels = Object.values(money.rows).flat();
  const [first] = panels;
  const read = (panel: object) => (panel === first ? [{ legend: "minutes", values: [null, 3, 12] }] : []);
  const svg = drawDashboard(money, read, "a <run>");
  for (const { title } of panels) expect(svg).toContain(`>${title}<`);
  expect(svg).toContain(">12<");
  expect(svg).toContain("nothing in this run");
  expect(svg).toContain("a &lt;run>");
});

test("values have short units", () => {
  expect(formatValue(0.25, "percentunit")).toBe("25 %");
  expect(formatValue(3 * 2 ** 20, "Bps")).toBe("3 MiB/s");
  expect(formatValue(0.0123, "s")).toBe("12.3 ms");
  expect(formatValue(90, "s")).toBe("1.5 min");
});
