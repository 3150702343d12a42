import { ScaledObject } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { Manifest } from "../manifests/manifest.ts";
import { recordReads } from "./record-reads.ts";

type Fault = { instancePath: string; keyword: string; params: unknown };
/** A class of the package. `validate` throws an error with all faults. */
type Model = { prototype: { validate(this: unknown): void } };

const models: Readonly<Record<string, Model>> = {
  "apps/v1/Deployment": Deployment,
  "apps/v1/StatefulSet": StatefulSet,
  "autoscaling/v2/HorizontalPodAutoscaler": HorizontalPodAutoscaler,
  "batch/v1/Job": Job,
  "networking.k8s.io/v1/Ingress": Ingress,
  "networking.k8s.io/v1/NetworkPolicy": NetworkPolicy,
  "policy/v1/PodDisruptionBudget": PodDisruptionBudget,
  "v1/ConfigMap": ConfigMap,
  "v1/Namespace": Namespace,
  "v1/PersistentVolumeClaim": PersistentVolumeClaim,
  "v1/Service": Service,
  "v1/ServiceAccount": ServiceAccount,
  "keda.sh/v1alpha1/ScaledObject": ScaledObject,
};

/**
 * Returns the violations of the published schema of an object's API version, one line each: wrong types and values,
 * missing fields, and unknown fields. The packages contain the compiled schemas of Kubernetes 1.34 and of KEDA.
 *
 * @throws if there is no schema for its API version and kind.
 */
export function schemaFaults(manifest: Manifest): string[] {
  const model = modelOf(manifest);
  const { data, unread } = recordReads(manifest);
  const name = `${manifest.kind}/${manifest.metadata.name}`;
  return [
    ...faultsOf(model, data).map(
      ({ instancePath, keyword, params }) => `${name}${instancePath}: ${keyword} ${JSON.stringify(params)}`,
    ),
    ...unread().map((path) => `${name}${path}: the schema has no such field`),
  ];
}

function modelOf({ apiVersion, kind }: Manifest): Model {
  const model = models[`${apiVersion}/${kind}`];
  if (!model) throw new Error(`no schema of ${apiVersion}/${kind} is known here`);
  return model;
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
