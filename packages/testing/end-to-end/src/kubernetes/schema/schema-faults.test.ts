import { expect, test } from "vitest";
import { installations } from "../installations.ts";
import type { Manifest } from "../manifests/manifest.ts";
import { schemaFaults } from "./schema-faults.ts";

test.each(installations())("every object of the $name conforms to the schema of its API version", ({ objects }) => {
  expect([...objects.values()].flatMap(schemaFaults)).toEqual([]);
  expect(objects.size).toBeGreaterThan(15);
});

const production = () => installations().find(({ name }) => name === "overlay production")?.objects;

test.each<[string, string, (manifest: Manifest) => void, string]>([
  [
    "a wrong type",
    "Deployment/api",
    ({ spec }) => (spec.template.spec.terminationGracePeriodSeconds = "9"),
    '"integer"',
  ],
  ["a missing field", "Deployment/api", ({ spec }) => delete spec.selector, '"selector"'],
  [
    "a wrong quantity",
    "Deployment/api",
    ({ spec }) => (spec.template.spec.containers[0].resources.limits.cpu = "two"),
    "quantity",
  ],
  [
    "an unknown field",
    "Deployment/api",
    ({ spec }) => (spec.template.spec.containers[0].liveness = {}),
    "/containers/0/liveness: the schema has no",
  ],
  [
    "a field at the wrong level",
    "NetworkPolicy/dns",
    ({ spec }) => (spec.ports = []),
    "/spec/ports: the schema has no",
  ],
  [
    "an unknown field at the top",
    "ConfigMap/video-to-json",
    (manifest) => (manifest.settings = {}),
    "/settings: the schema has no",
  ],
  [
    "an unknown field of KEDA",
    "ScaledObject/worker",
    ({ spec }) => (spec.maxReplicas = 3),
    "/spec/maxReplicas: the schema has no",
  ],
  ["a missing field of KEDA", "ScaledObject/worker", ({ spec }) => delete spec.triggers[0].type, '"type"'],
])("%s is found", (_, name, change, words) => {
  const manifest = structuredClone(production()?.get(name)) as Manifest;
  change(manifest);
  expect(schemaFaults(manifest).join("\n")).toContain(words);
});

test("an API version without a schema is an error", () => {
  const manifest = { apiVersion: "apps/v7", kind: "Deployment", metadata: { name: "api" } };
  expect(() => schemaFaults(manifest)).toThrow(/apps\/v7/);
});
