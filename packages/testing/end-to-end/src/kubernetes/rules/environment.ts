import { type Manifest, objectOf, podOf } from "../manifests/manifest.ts";

/** The environment of a process: values from the ConfigMap and the manifest, and the names of values from a Secret. */
export type Environment = { values: Record<string, string>; secrets: { name: string; optional: boolean }[] };

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
