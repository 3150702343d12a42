import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findCommand } from "@video-to-json/testing";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { byName, installations, type Manifest, objectOf, parseManifests, podOf } from "./installations.ts";
import { chartDirectory, renderChart, renderTemplate, valuesOf } from "./render-chart.ts";
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

  test("other values make another Job of migrations, which needs no hook, and new settings replace the pods", () => {
    const { name, annotations } = objectOf(byName(parseManifests(renderChart(valueFiles))), "Job/migrate").metadata;
    expect([name, annotations]).toEqual([expect.stringMatching(/^migrate-[0-9a-f]{8}$/), undefined]);
    const images = { migrate: "video-to-json-migrate:0.2.0" };
    for (const other of [
      { images },
      { pods: { nodeSelector: { pool: "video" } } },
      { volumes: [{ name: "authority" }] },
    ]) {
      expect(renderChart(valueFiles, other)).not.toContain(name);
    }
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

test("a company's values reach every pod that they are for", () => {
  const pods = {
    imagePullSecrets: [{ name: "registry" }],
    priorityClassName: "high",
    nodeSelector: { pool: "video" },
    tolerations: [{ key: "video", operator: "Exists" }],
    affinity: { nodeAffinity: {} },
  };
  const volumes = [{ name: "authority", configMap: { name: "authority" } }];
  const volumeMounts = [{ name: "authority", mountPath: "/etc/authority" }];
  const env = [{ name: "NODE_EXTRA_CA_CERTS", value: "/etc/authority/ca.pem" }];
  const egress = [{ to: [{ ipBlock: { cidr: "10.9.0.0/16" } }], ports: [{ protocol: "TCP", port: 4318 }] }];
  const network = { egress };
  const monitoring = { operator: true, dashboards: true, labels: { release: "prometheus" } };
  const backup = { schedule: "0 3 * * *" };
  const own = {
    backup,
    pods: { ...pods, annotations: { owner: "video" } },
    volumes,
    volumeMounts,
    env,
    network,
    monitoring,
  };
  const objects = byName(parseManifests(renderChart([], own)));
  const specs = [...objects.values()].flatMap((object) => podOf(object) ?? []);
  expect(specs).toHaveLength(7);
  for (const spec of specs) expect(spec).toMatchObject(pods);
  for (const name of ["Deployment/api", "Deployment/worker", "Job/migrate", "CronJob/backup"]) {
    const spec = podOf(objectOf(objects, name));
    expect(spec.volumes).toEqual(expect.arrayContaining(volumes));
    expect(spec.containers[0].volumeMounts).toEqual(expect.arrayContaining(volumeMounts));
    // Migrations and backups get no secret of a bucket.
    if (name.startsWith("Deployment")) expect(spec.containers[0].env).toEqual(expect.arrayContaining(env));
  }
  expect(objectOf(objects, "Deployment/api").spec.template.metadata.annotations.owner).toBe("video");
  expect(objectOf(objects, "NetworkPolicy/to-others").spec.egress).toEqual(egress);
  const { groups } = objectOf(objects, "PrometheusRule/video-to-json").spec;
  expect(groups.flatMap(({ rules }: { rules: object[] }) => rules).length).toBeGreaterThan(35);
  expect(objectOf(objects, "PodMonitor/video-to-json").metadata.labels).toHaveProperty("release", "prometheus");
  const { data } = objectOf(objects, "ConfigMap/video-to-json-dashboards");
  expect(Object.keys(data).toSorted()).toEqual(readdirSync(join(chartDirectory, "files/dashboards")).toSorted());
  for (const text of Object.values<string>(data)) expect(JSON.parse(text)).toHaveProperty("panels");
  const standard = [...objects.values()].filter(({ apiVersion }) => !apiVersion.startsWith("monitoring.coreos.com"));
  expect(standard.flatMap(schemaFaults)).toEqual([]);
});

/** Returns the labels that each label selector of an object asks for, wherever it is, and the names that it refers to. */
function referencesOf(node: unknown): { labels: Record<string, string>[]; names: string[] } {
  if (typeof node !== "object" || node === null) return { labels: [], names: [] };
  const parts = Object.entries(node).map(([member, value]) => {
    const inner = referencesOf(value);
    if (member === "podSelector" || member === "labelSelector") inner.labels.push(value?.matchLabels ?? {});
    if (member === "selector") inner.labels.push(value?.matchLabels ?? value ?? {});
    if (["configMapRef", "configMap", "scaleTargetRef", "service"].includes(member)) inner.names.push(value?.name);
    if (["serviceName", "serviceAccountName", "claimName"].includes(member)) inner.names.push(value);
    return inner;
  });
  return { labels: parts.flatMap(({ labels }) => labels), names: parts.flatMap(({ names }) => names) };
}

test.each(installations)(
  "$name: releases in one namespace share no object, and select no pod of each other or of another application",
  ({ valueFiles }) => {
    const own = {
      prefix: "blue-",
      prober: { url: "http://blue-api:3000" },
      backup: { schedule: "0 3 * * *" },
      monitoring: { operator: true, dashboards: true },
    };
    const blue = byName(parseManifests(renderChart(valueFiles, own, "blue")));
    const green = byName(parseManifests(renderChart(valueFiles, { backup: own.backup, monitoring: own.monitoring })));
    expect([...blue.keys()].filter((name) => green.has(name))).toEqual([]);
    expect(blue.size).toBe(green.size);
    const selectors = [...blue.values()].flatMap((object) => referencesOf(object.spec).labels);
    const ofOthers = (labels: Record<string, string>) =>
      "kubernetes.io/metadata.name" in labels || labels["k8s-app"] === "kube-dns";
    expect(selectors.length).toBeGreaterThan(20);
    expect(selectors.filter((labels) => labels["app.kubernetes.io/instance"] !== "blue" && !ofOthers(labels))).toEqual(
      [],
    );
    const names = [...blue.values()].flatMap((object) => referencesOf(object.spec).names);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !name.startsWith("blue-"))).toEqual([]);
  },
);

const valuesSchema = JSON.parse(readFileSync(join(chartDirectory, "values.schema.json"), "utf8"));
const areValid = new Ajv({ strict: false }).compile(valuesSchema);

test.each([
  ["the values of small", [], {}],
  ["the values of production", ["values-production.yaml"], {}],
  ["the values of a local model", ["values-local-model.yaml"], {}],
  [
    "images by digest from a registry with a port",
    [],
    { images: { api: `hub:5000/v2j/api@sha256:${"a".repeat(64)}` } },
  ],
])("%s conform to the schema of values", (_name, files, own) => {
  areValid(valuesOf(files, own));
  expect(areValid.errors).toBeNull();
});

test.each([
  ["a misspelt member", { netwrok: {} }],
  ["a number as a setting", { settings: { GLOBAL_CONCURRENCY: 50 } }],
  ["a wrong quantity", { worker: { scratch: "20 GB" } }],
  ["a network without its length", { databases: { cidr: "10.0.0.0" } }],
  ["a prefix without a hyphen", { prefix: "blue", prober: { url: "http://blueapi:3000" } }],
  ["the API's address without the prefix", { prefix: "blue-" }],
  ["a prober without a scheme", { prober: { url: "api:3000" } }],
  ["a number of replicas as text", { api: { replicas: "2" } }],
])("%s is refused by the schema of values", (_name, own) => {
  expect(areValid(valuesOf([], own))).toBe(false);
});

test("the notes after an installation name its namespace and address, and commands only of what runs", () => {
  const notes = (own: object) =>
    renderTemplate(readFileSync(join(chartDirectory, "templates/NOTES.txt"), "utf8"), valuesOf([], { ...own }));
  expect(notes({})).toMatch(/namespace video-to-json .*https:\/\/api\.example\.com.*exec deployment\/prober/s);
  expect(notes({ prober: { url: "" } })).not.toContain("prober");
  expect([...byName(parseManifests(renderChart([], { prober: { url: "" } }))).keys()]).not.toContain(
    "Deployment/prober",
  );
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
