import { expect, test } from "vitest";
import { buildDashboard } from "./build-dashboard.ts";
import { dashboards } from "./panels.ts";

for (const [name, spec] of Object.entries(dashboards)) {
  test(`infra/grafana/dashboards/${name}.json matches the code`, async () => {
    const text = `${JSON.stringify(buildDashboard(spec), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`../../../../../infra/grafana/dashboards/${name}.json`);
  });
}
