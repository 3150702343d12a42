import * as keda from "@kubernetes-models/keda/keda.sh/v1alpha1";
import * as apps from "kubernetes-models/apps/v1";
import * as autoscaling from "kubernetes-models/autoscaling/v2";
import * as batch from "kubernetes-models/batch/v1";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
import type { Manifest } from "./installations.ts";

/** A class of the packages. `validate` throws an error with all faults. */
type Model = { prototype: { validate(this: unknown): void } };
type Fault = { instancePath: string; keyword: string; params: unknown };

const versions = {
  "apps/v1": apps,
  "autoscaling/v2": autoscaling,
  "batch/v1": batch,
  "keda.sh/v1alpha1": keda,
  "networking.k8s.io/v1": networking,
  "policy/v1": policy,
  v1: core,
} as unknown as Readonly<Record<string, Readonly<Record<string, Model>>>>;

/** One line each. The packages contain the compiled schemas of Kubernetes 1.34 and of KEDA. */
export function schemaFaults(manifest: Manifest): string[] {
  const name = `${manifest.kind}/${manifest.metadata.name}`;
  const model = versions[manifest.apiVersion]?.[manifest.kind];
  if (!model) return [`${name}: no schema of ${manifest.apiVersion} is known here`];
  const unread = new Set<string>();
  const faults = faultsOf(model, recordReads(manifest, "", unread));
  return [
    ...faults.map(
      ({ instancePath, keyword, params }) => `${name}${instancePath}: ${keyword} ${JSON.stringify(params)}`,
    ),
    ...[...unread].map((path) => `${name}${path}: the schema has no such field`),
  ];
}

function faultsOf(model: Model, data: unknown): readonly Fault[] {
  try {
    model.prototype.validate.call(data);
    return [];
  } catch (error) {
    if (error instanceof Error && "errors" in error) return error.errors as Fault[];
    throw error;
  }
}

/** Keeps the paths of unread members in a set: a compiled schema reads each field that it knows. */
function recordReads(node: unknown, path: string, unread: Set<string>): unknown {
  if (typeof node !== "object" || node === null) return node;
  const views = new Map<string, unknown>();
  for (const name of Object.keys(node)) unread.add(`${path}/${name}`);
  return new Proxy(node, {
    get(target, name, receiver) {
      const member = Reflect.get(target, name, receiver);
      if (typeof name !== "string" || !Object.hasOwn(target, name)) return member;
      unread.delete(`${path}/${name}`);
      // The members of a member are only known when something reads it: below an unread one, nothing is reported.
      if (!views.has(name)) views.set(name, recordReads(member, `${path}/${name}`, unread));
      return views.get(name);
    },
  });
}
