import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findCommand } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { chartDirectory, overlayDirectory, overlays } from "../installations.ts";
import { buildKustomization } from "../kustomize/build-kustomization.ts";
import { byName, type Manifest, parseManifests } from "../manifests/manifest.ts";
import { parseTemplate } from "./parse-template.ts";
import { renderChart } from "./render-chart.ts";
import { renderTemplate } from "./render-template.ts";

const namespace = "video-to-json";

/**
 * The expected differences: Helm gets the namespace as an option, runs Jobs as hooks, and marks pods with the checksum
 * of the settings.
 */
function comparable(manifests: readonly Manifest[]): Map<string, Manifest> {
  const objects = byName(structuredClone(manifests.filter(({ kind }) => kind !== "Namespace")));
  for (const manifest of objects.values()) {
    delete manifest.metadata.namespace;
    const annotations = [manifest.metadata.annotations, manifest.spec?.template?.metadata?.annotations];
    for (const name of annotations.flatMap((map) => Object.keys(map ?? {}))) {
      if (!/^helm\.sh\/|^checksum\//.test(name)) continue;
      for (const map of annotations) delete map?.[name];
    }
    if (Object.keys(manifest.metadata.annotations ?? {}).length === 0) delete manifest.metadata.annotations;
  }
  return objects;
}

test.each(overlays)("the chart makes the same objects as the overlay $name", ({ name, valueFiles }) => {
  const chart = renderChart(chartDirectory, { namespace, valueFiles: [...valueFiles] });
  expect(comparable(chart)).toEqual(comparable(buildKustomization(overlayDirectory(name))));
});

test.skipIf(!findCommand("helm")).each(overlays)("helm makes the same objects like $name", ({ valueFiles }) => {
  const files = valueFiles.flatMap((file) => ["--values", join(chartDirectory, file)]);
  const text = execFileSync("helm", ["template", "video-to-json", chartDirectory, "-n", namespace, ...files], {
    encoding: "utf8",
  });
  const ours = renderChart(chartDirectory, { namespace, valueFiles: [...valueFiles] });
  expect(comparable(parseManifests(text))).toEqual(comparable(ours));
});

test("the migrations run as a hook, and new settings replace the pods", () => {
  const annotationsOf = (valueFiles: string[]) => {
    const objects = byName(renderChart(chartDirectory, { namespace, valueFiles }));
    expect(objects.get("Job/migrate")?.metadata.annotations).toHaveProperty(["helm.sh/hook"]);
    return objects.get("Deployment/api")?.spec.template.metadata.annotations["checksum/settings"];
  };
  expect(annotationsOf([])).toMatch(/^[0-9a-f]{64}$/);
  expect(annotationsOf([])).not.toBe(annotationsOf(["values-production.yaml"]));
});

const render = (text: string, values: object = {}) => {
  const parts = parseTemplate(text);
  const defined = new Map(parts.flatMap((part) => (part.is === "define" ? [[part.name, part.parts] as const] : [])));
  return renderTemplate(parts, { dot: { Values: values }, variables: {}, defined });
};

test.each([
  ["{{ .Values.a | quote }}", { a: 0.75 }, '"0.75"'],
  ["a:\n  {{- toYaml .Values.a | nindent 2 }}\n", { a: { b: [1], c: "on" } }, "a:\n  b:\n    - 1\n  c: on\n"],
  ["x\n{{- if .Values.a }}\nyes\n{{- else }}\nno\n{{- end }}\n", { a: {} }, "x\nno\n"],
  ["{{- range $k, $v := .Values }}{{ $k }}={{ $v }};{{- end }}", { b: 2, a: 1 }, "a=1;b=2;"],
  ['{{- define "n" -}}\nname\n{{- end }}{{/* a comment */}}[{{ include "n" . }}]', {}, "[name]"],
])("%s is rendered as Go renders it", (text, values, expected) => {
  expect(render(text, values)).toBe(expected);
});

test.each([
  ["{{ .Values.a }}", "has no value"],
  ["{{ lower .Values.a }}", "the function lower"],
  ["{{ with .Values.a }}{{ end }}", "not supported"],
  ["{{ if .Values.a }}", "without an end"],
  ["{{ end }}", "without a block"],
])("%s is an error", (text, words) => {
  expect(() => render(text)).toThrow(words);
});
