import { tmpdir } from "node:os";
import { makeStackDirectory } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { allFaults } from "../faults/all-faults.ts";
import { prometheusCommand } from "./prometheus.ts";
import { type RaisedAlert, watchAlerts } from "./watch-alerts.ts";

const command = prometheusCommand();
// One kind of fault for each alert. All kinds, and those that fill disks, are for ./scripts/chaos --alerts.
const possible = allFaults.filter(({ needs }) => needs !== "disks" && needs !== "s3");
const faults = [...new Map(possible.map((one) => [one.alert, one])).values()];

test.runIf(runsAllTests && command !== undefined)(
  "each alert of a fault is raised by it, and the queries of its runbook show it, in a real Prometheus under load",
  async () => {
    await using directory = makeStackDirectory(tmpdir(), "v2j-alerts-");
    const dataDir = directory.path;
    const watching = watchAlerts({
      dataDir,
      faults,
      command: command ?? "",
      signal: new AbortController().signal,
      onStatus: () => {},
    });
    const raised: RaisedAlert[] = [];
    for await (const one of watching) raised.push(one);
    expect(raised.length).toBe(faults.length);
    expect(raised.filter(({ seconds }) => seconds === undefined)).toEqual([]);
    expect(raised.filter(({ empty }) => empty.length > 0)).toEqual([]);
  },
  3_600_000,
);
