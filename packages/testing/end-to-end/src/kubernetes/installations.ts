import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { parseAllDocuments } from "yaml";

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check the shape.
  [part: string]: any;
};

/** Returns the objects of a YAML text with any number of documents. Throws at the first fault of the syntax. */
export function parseManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text, { version: "1.1" });
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** Returns the objects by kind and name, such as `Deployment/api`. Throws if two objects have both the same. */
export function byName(manifests: readonly Manifest[]): Map<string, Manifest> {
  const found = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const key = `${manifest.kind}/${manifest.metadata.name}`;
    if (found.has(key)) throw new Error(`${key} exists twice`);
    found.set(key, manifest);
  }
  return found;
}

/** Each installation that the repository keeps as YAML, with the values that make it from the chart. */
export const installations = [
  { name: "small", valueFiles: [] },
  { name: "production", valueFiles: ["values-production.yaml"] },
].map(({ name, valueFiles }) => {
  const path = join(repositoryRoot, "infra/kubernetes", `${name}.yaml`);
  return { name, valueFiles, path, objects: byName(parseManifests(readFileSync(path, "utf8"))) };
});

/** Returns the object with this kind and name, such as `Deployment/api`. Throws if there is no such object. */
export function objectOf(objects: ReadonlyMap<string, Manifest>, name: string): Manifest {
  // The Job of the migrations has its image in its name.
  const found = objects.get([...objects.keys()].find((key) => key.replace(/-[0-9a-f]{8}$/, "") === name) ?? "");
  if (!found) throw new Error(`${name} is missing`);
  return found;
}

/** Returns the specification of an object's pods; undefined for an object without pods. */
export function podOf({ kind, spec }: Manifest) {
  if (kind === "CronJob") return spec.jobTemplate.spec.template.spec;
  return ["Deployment", "StatefulSet", "Job"].includes(kind) ? spec.template.spec : undefined;
}

/** The environment of a process: values from the ConfigMap and the manifest, and the names of values from a Secret. */
type Environment = { values: Record<string, string>; secrets: { name: string; optional: boolean }[] };

type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef?: { key: string; optional?: boolean } } };

/** Returns the environment of the first container of an object's pods. */
export function environmentOf(objects: ReadonlyMap<string, Manifest>, name: string): Environment {
  const [container] = podOf(objectOf(objects, name)).containers;
  const maps = (container.envFrom ?? []).map(
    (from: { configMapRef: { name: string } }) => objects.get(`ConfigMap/${from.configMapRef.name}`)?.data,
  );
  const variables: Variable[] = container.env ?? [];
  const plain = variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return {
    values: Object.assign({}, ...maps, Object.fromEntries(plain)),
    secrets: variables.flatMap(({ name, valueFrom }) => {
      const secret = valueFrom?.secretKeyRef;
      return secret
        ? [{ name: secret.key === name ? name : `${name} from ${secret.key}`, optional: secret.optional ?? false }]
        : [];
    }),
  };
}

/** Returns a setting of an installation as a number, or `fallback` where its ConfigMap has none. */
export function numberSetting(objects: ReadonlyMap<string, Manifest>, name: string, fallback: number): number {
  return Number(objects.get("ConfigMap/video-to-json")?.data[name] ?? fallback);
}

const units: Readonly<Record<string, number>> = { "": 1, m: 0.001, Mi: 2 ** 20, Gi: 2 ** 30 };

/** Returns the number of a Kubernetes quantity, such as bytes for `20Gi` or processors for `500m`. */
export function quantity(text: string | number): number {
  const [, digits = "", unit = ""] = /^([\d.]+)([A-Za-z]*)$/.exec(String(text)) ?? [];
  const factor = units[unit];
  if (digits === "" || factor === undefined) throw new Error(`${text} is not a quantity known here`);
  return Number(digits) * factor;
}
