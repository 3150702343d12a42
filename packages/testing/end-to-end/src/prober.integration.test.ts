import { join } from "node:path";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { freePort, mainOf, runAdmin, startProcess } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";

let service: BorrowedService;
beforeAll(async () => {
  service = await borrowService();
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.emulator.setFaults([]));

const once = (url: string) => runAdmin(["probe", "--once", "--url", url], { DATABASE_URL: service.databaseUrl });

test("a probe succeeds on an account of its own, and fails with the error that a caller would get", async () => {
  expect(await once(service.baseUrl)).toContain("The extraction succeeded.");
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: -1 }]);
  await expect(once(service.baseUrl)).rejects.toThrow(/status 422, /);
  await expect(once(`http://127.0.0.1:${await freePort()}`)).rejects.toThrow(/ECONNREFUSED/);
});

test("a prober shows in its metrics how each extraction ended, and when the last one succeeded", async () => {
  const port = await freePort();
  const prober = await startProcess({
    name: "prober",
    command: process.execPath,
    args: [mainOf("admin"), "probe", "--every", "1", "--url", service.baseUrl],
    env: { PATH: process.env.PATH, DATABASE_URL: service.databaseUrl, METRICS_PORT: String(port), HOST: "127.0.0.1" },
    logFile: join(service.storageDir, "..", "prober.log"),
  });
  onTestFinished(() => prober.stop());
  const scrape = async (name: string) => {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => "",
    );
    const line = text.split("\n").find((each) => each.startsWith(`video_to_json_${name}`));
    return Number(line?.slice(line.lastIndexOf(" ")) ?? Number.NaN);
  };
  await expect.poll(() => scrape('probes_total{result="ok"}')).toBeGreaterThan(0);
  const succeededAt = await scrape("probe_last_success_timestamp_seconds");
  expect(Math.abs(succeededAt - Date.now() / 1000)).toBeLessThan(180);
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: -1 }]);
  await expect.poll(() => scrape('probes_total{result="extraction_failed"}')).toBeGreaterThan(0);
  await service.emulator.setFaults([]);
  await expect.poll(() => scrape("probe_last_success_timestamp_seconds")).toBeGreaterThan(succeededAt);
});
