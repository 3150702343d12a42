import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findCommand } from "@video-to-json/testing";
import { describe, expect, test } from "vitest";
import { byName, installations, type Manifest, objectOf, parseManifests } from "./installations.ts";
import { chartDirectory, renderChart, renderTemplate } from "./render-chart.ts";
import { schemaFaults } from "./schema-faults.ts";

describe.each(installations)("$name", ({ name, valueFiles, path, objects }) => {
  test(`infra/kubernetes/${name}.yaml is the chart with its values (docs:generate writes it)`, async () => {
    await expect(renderChart(valueFiles)).toMatchFileSnapshot(path);
  });

  test.skipIf(!findCommand("helm"))("Helm makes the same objects", () => {
    const files = valueFiles.flatMap((file) => ["--values", join(chartDirectory, file)]);
    const args = ["template", "video-to-json", chartDirectory, "-n", "video-to-json", ...files];
    expect(byName(parseManifests(execFileSync("helm", args, { encoding: "utf8" })))).toEqual(objects);
  });

  test("every object conforms to the schema of its API version", () => {
    expect([...objects.values()].flatMap(schemaFaults)).toEqual([]);
    expect(objects.size).toBeGreaterThan(15);
  });

  test("the migrations run as a hook of Helm, and new settings replace the pods", () => {
    expect(objectOf(objects, "Job/migrate").metadata.annotations).toHaveProperty(["helm.sh/hook"]);
    const checksums = installations.map((each) => {
      return objectOf(each.objects, "Deployment/api").spec.template.metadata.annotations["checksum/settings"];
    });
    expect(checksums[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(checksums[0]).not.toBe(checksums[1]);
  });
});

test.each([
  ["{{ .Values.a | quote }}", { a: 0.75 }, '"0.75"'],
  ["a:\n  {{- toYaml .Values.a | nindent 2 }}\n", { a: { b: [1], c: "on" } }, 'a:\n  b:\n    - 1\n  c: "on"\n'],
  ["x\n{{- if .Values.a }}\nyes\n{{- else }}\nno\n{{- end }}\n", { a: {} }, "x\nno\n"],
  ["{{- if .Values.a }}{{ if .Values.b }}1{{ end }}2{{ end }}", { a: 1, b: 0 }, "2"],
  [
    "{{- range $name, $value := .Values }}{{ $name }}={{ $value | quote }};{{- end }}",
    { b: 2, a: "$&" },
    'a="$&";b="2";',
  ],
])("%s is rendered as Go renders it", (text, values, expected) => {
  expect(renderTemplate(text, values)).toBe(expected);
});

test.each([
  ["{{ .Values.a }}", "has no value"],
  ["{{ lower .Values.a }}", "has no value"],
  ["{{ .Values | lower }}", "the function lower"],
  ["{{ with .Values.a }}{{ end }}", "has no value"],
  ["{{ end }}", "has no value"],
])("%s is an error", (text, words) => {
  expect(() => renderTemplate(text, {})).toThrow(words);
});

const container = "spec.template.spec.containers.0";

test.each<[string, string, string, unknown, string]>([
  ["a wrong type", "Deployment/api", "spec.template.spec.terminationGracePeriodSeconds", "9", '"integer"'],
  ["a missing field", "Deployment/api", "spec.selector", undefined, '"selector"'],
  ["a wrong quantity", "Deployment/api", `${container}.resources.limits.cpu`, "two", "quantity"],
  ["an unknown field", "Deployment/api", `${container}.liveness`, {}, "/containers/0/liveness: the schema has no"],
  ["a field at the wrong level", "NetworkPolicy/dns", "spec.ports", [], "/spec/ports: the schema has no"],
  ["an unknown field at the top", "ConfigMap/video-to-json", "settings", {}, "/settings: the schema has no"],
  ["an unknown field of KEDA", "ScaledObject/worker", "spec.maxReplicas", 3, "/spec/maxReplicas: the schema has no"],
  ["a missing field of KEDA", "ScaledObject/worker", "spec.triggers.0.type", undefined, '"type"'],
  ["an API version without a schema", "Deployment/api", "apiVersion", "apps/v7", "apps/v7"],
])("%s is found", (_, name, path, value, words) => {
  const manifest = structuredClone(objectOf(installations[1]?.objects ?? new Map(), name));
  const names = path.split(".");
  const last = names.pop() ?? "";
  const parent = names.reduce((node, member) => node[member], manifest as Manifest[string]);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  expect(schemaFaults(manifest).join("\n")).toContain(words);
});
