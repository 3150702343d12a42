import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openWorkerMetrics } from "../metrics/open-metrics.ts";
import { diskDependency } from "./disk-dependency.ts";

test("a disk that is too full to be used is measured, so that its alert fires", async () => {
  const metrics = openWorkerMetrics();
  const ready = () => Promise.reject(new Error("The disk is full."));
  const disk = diskDependency(metrics, { name: "scratch", address: tmpdir(), directory: tmpdir(), ready });
  await expect(disk.check()).rejects.toThrow("The disk is full.");
  const { values } = await metrics.diskSize.get();
  expect(values).toMatchObject([{ labels: { disk: "scratch" }, value: expect.toSatisfy((bytes) => bytes > 0) }]);
});
