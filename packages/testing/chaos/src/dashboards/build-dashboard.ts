import {
  type Dashboard,
  DashboardBuilder,
  DatasourceVariableBuilder,
  RowBuilder,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import type { DashboardSpec, PanelSpec } from "./panels.ts";

const source = { type: "prometheus", uid: "$datasource" };
const height = 8;
const columns = 24;

/** Builds a dashboard in the form that Grafana provisions. */
export function buildDashboard({ uid, title, description, rows }: DashboardSpec): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(["video-to-json"])
    .refresh("10s")
    .time({ from: "now-1h", to: "now" })
    .timezone("browser")
    .withVariable(new DatasourceVariableBuilder("datasource").label("Prometheus").type("prometheus"));
  for (const [name, panels] of Object.entries(rows)) {
    builder.withRow(new RowBuilder(name));
    for (const panel of panels)
      builder.withPanel(buildPanel(panel, columns / Math.min(panels.length, panel.isNumber ? 6 : 2)));
  }
  return builder.build();
}

function buildPanel({ title, unit, isNumber = false, lines }: PanelSpec, span: number) {
  const panel = isNumber ? new StatBuilder() : new TimeseriesBuilder();
  panel
    .title(title)
    .unit(unit)
    .datasource(source)
    .span(span)
    .height(isNumber ? height / 2 : height);
  if (!isNumber) panel.min(0);
  for (const [index, [legend, expression]] of Object.entries(lines).entries()) {
    panel.withTarget(
      new DataqueryBuilder()
        .expr(expression)
        .legendFormat(legend)
        .refId(String.fromCharCode(65 + index)),
    );
  }
  return panel;
}
