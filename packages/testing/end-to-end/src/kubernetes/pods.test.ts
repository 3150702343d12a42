import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "@video-to-json/contract";
import { readSettings } from "@video-to-json/runtime/settings";
import { repositoryRoot } from "@video-to-json/testing";
import { describe, expect, test } from "vitest";
import { installations, numberSetting, objectOf, podOf, quantity } from "./installations.ts";

/** The volumes that the restricted profile of Kubernetes allows. */
const allowedVolumes = "configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret".split(" ");

describe.each(installations)("$name", ({ objects, name: installation }) => {
  const pods = [...objects].flatMap(([name, manifest]) => (podOf(manifest) ? [{ name, pod: podOf(manifest) }] : []));

  test("has the processes, and in small the servers", () => {
    const names = ["Deployment/api", "Deployment/prober", "Deployment/worker", "Job/migrate"];
    const servers = ["StatefulSet/postgres", "StatefulSet/redis"];
    expect(pods.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, "")).sort()).toEqual(
      installation === "small" ? [...names, ...servers] : names,
    );
  });

  test.each(pods)("$name obeys the restricted profile", ({ pod }) => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC, pod.initContainers]).toEqual(Array(4).fill(undefined));
    for (const volume of pod.volumes ?? []) {
      const [kind] = Object.keys(volume).filter((key) => key !== "name");
      expect(allowedVolumes).toContain(kind);
    }
    for (const { securityContext, ports = [] } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      for (const port of ports) expect(port.hostPort).toBeUndefined();
    }
  });

  test.each(pods)("$name has no token, and bounds for its resources", ({ pod }) => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    for (const { image, resources } of pod.containers) {
      expect(image).toMatch(/:[\w.]+$/);
      expect(image).not.toMatch(/:latest$/);
      expect(quantity(resources.requests.cpu)).toBeGreaterThan(0);
      expect(quantity(resources.limits.memory)).toBeGreaterThanOrEqual(quantity(resources.requests.memory));
    }
    for (const volume of pod.volumes ?? []) if (volume.emptyDir) expect(volume.emptyDir.sizeLimit).toBeTruthy();
  });

  test.each(["Deployment/api", "Deployment/worker"])(
    "the probes of %s request paths that the process serves",
    (name) => {
      const [container] = pods.find((entry) => entry.name === name)?.pod.containers ?? [];
      const metrics = container.ports.find((port: { name: string }) => port.name === "metrics");
      expect(metrics.containerPort).toBe(numberSetting(objects, "METRICS_PORT", 0));
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      expect(probes.map(({ httpGet }) => httpGet)).toEqual(
        ["/healthz", "/healthz", "/readyz"].map((path) => ({ path, port: "metrics" })),
      );
      const served = sourcesOf("packages/runtime/src/telemetry");
      for (const { httpGet } of probes) expect(served).toContain(`"${httpGet.path}"`);
      // A check of readiness has two seconds.
      expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
    },
  );

  test("an API stays in service while requests wait for a restart of PostgreSQL", () => {
    const [{ readinessProbe }] = podOf(objectOf(objects, "Deployment/api")).containers;
    // The constant `databasePatienceMs` of the API, in seconds.
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeGreaterThan(20);
  });

  test("a process has enough time for its last request or job", () => {
    const timeout = numberSetting(objects, "JOB_TIMEOUT_SECONDS", defaultLimits.jobTimeoutSeconds);
    const defaults = readSettings({}, ["SHUTDOWN_GRACE_SECONDS", "DRAIN_SECONDS"]);
    const grace = numberSetting(objects, "SHUTDOWN_GRACE_SECONDS", defaults.SHUTDOWN_GRACE_SECONDS);
    const drain = numberSetting(objects, "DRAIN_SECONDS", defaults.DRAIN_SECONDS);
    const given = (name: string) => podOf(objectOf(objects, name)).terminationGracePeriodSeconds;
    // No release and no autoscaler interrupts a running job.
    expect(grace).toBeGreaterThanOrEqual(timeout);
    // A maintenance task may run for four more seconds.
    expect(given("Deployment/worker")).toBeGreaterThan(grace + 4);
    // A caller gets its answer half a minute after the deadline of its job at the latest.
    expect(given("Deployment/api")).toBeGreaterThan(2 * drain + timeout + 30);
  });

  test("each Deployment has a budget that allows one pod to stop", () => {
    for (const name of ["api", "worker"]) {
      const { selector, maxUnavailable } = objects.get(`PodDisruptionBudget/${name}`)?.spec ?? {};
      expect(maxUnavailable).toBe(1);
      expect(selector).toEqual(objects.get(`Deployment/${name}`)?.spec.selector);
    }
  });

  test("scratch has room for the largest file in every place, and for a copy on every processor", () => {
    const pod = podOf(objectOf(objects, "Deployment/worker"));
    const [{ resources }] = pod.containers;
    const processors = quantity(resources.limits.cpu);
    // Node rounds the limit down, and ffmpeg runs for as many jobs at once.
    expect(processors).toBe(Math.trunc(processors));
    const scratch = pod.volumes.find((volume: { name: string }) => volume.name === "scratch");
    const size = quantity(scratch.ephemeral.volumeClaimTemplate.spec.resources.requests.storage);
    const places = numberSetting(objects, "WORKER_CONCURRENCY", 32);
    const largest = numberSetting(objects, "MAX_FILE_BYTES", defaultLimits.maxFileBytes);
    expect(size).toBeGreaterThanOrEqual((places + processors) * largest);
  });
});

function sourcesOf(directory: string): string {
  const files = readdirSync(join(repositoryRoot, directory), { recursive: true, encoding: "utf8" });
  const product = files.filter((file) => file.endsWith(".ts") && !/\.(test|harness|fixture)\./.test(file));
  return product.map((file) => readFileSync(join(repositoryRoot, directory, file), "utf8")).join("\n");
}
