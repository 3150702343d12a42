export { drawDashboard } from "./draw/draw-dashboard.ts";
export { type Line, readPanel, type Span } from "./draw/read-panel.ts";
export { dashboards, type PanelSpec } from "./panels.ts";
