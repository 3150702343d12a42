import { readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

/** A Kubernetes object from a file or a renderer. */
export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check the shape.
  [part: string]: any;
};

/** Returns the objects of a YAML text with any number of documents. Throws at the first fault of the syntax. */
export function parseManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  return (Array.isArray(documents) ? documents : []).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** Returns the objects of a YAML file. */
export function readManifests(path: string): Manifest[] {
  return parseManifests(readFileSync(path, "utf8"));
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

/** Returns the object with this kind and name, such as `Deployment/api`. Throws if there is no such object. */
export function objectOf(objects: ReadonlyMap<string, Manifest>, name: string): Manifest {
  const found = objects.get(name);
  if (!found) throw new Error(`${name} is missing`);
  return found;
}

/** Returns the specification of an object's pods; undefined for an object without pods. */
export function podOf({ kind, spec }: Manifest) {
  return ["Deployment", "StatefulSet", "Job"].includes(kind) ? spec.template.spec : undefined;
}
