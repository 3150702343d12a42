import { textTable } from "@video-to-json/testing/running";
import type { RaisedAlert } from "./watch-alerts.ts";

/** Returns a table: each kind of fault, its alert, and how soon it fired. */
export function alertsReport(raised: readonly RaisedAlert[]): string {
  const rows = raised.map(({ kind, alert, seconds, others }) => [
    kind,
    alert,
    seconds === undefined ? "did not fire" : `${seconds.toFixed(0)} s`,
    others.join(", "),
  ]);
  return textTable([["fault", "alert", "fired after", "others"], ...rows]).join("\n");
}
