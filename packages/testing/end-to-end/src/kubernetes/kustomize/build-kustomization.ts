import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Manifest, podOf, readManifests } from "../manifests/manifest.ts";
import { applyPatch, mergeMaps, type PatchStep } from "./apply-patch.ts";

type Kustomization = {
  apiVersion: string;
  kind: string;
  namespace?: string;
  resources: string[];
  patches?: { path: string; target?: { kind: string; name?: string } }[];
  images?: { name: string; newTag: string }[];
};

const known = new Set(["apiVersion", "kind", "namespace", "resources", "patches", "images"]);

/**
 * Returns the objects of a kustomization as `kustomize build` does, for machines without kustomize: resources, patches,
 * images and the namespace. Throws for anything else. A test compares it with the real program if that is installed.
 */
export function buildKustomization(directory: string): Manifest[] {
  const kustomization: Kustomization = parse(readFileSync(join(directory, "kustomization.yaml"), "utf8"));
  const unknown = Object.keys(kustomization).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${directory} uses ${unknown}, which is not supported here`);
  const manifests = kustomization.resources.flatMap((resource) => {
    const path = join(directory, resource);
    return statSync(path).isDirectory() ? buildKustomization(path) : readManifests(path);
  });
  for (const patch of kustomization.patches ?? []) applyTo(manifests, join(directory, patch.path), patch.target);
  for (const manifest of manifests) {
    if (kustomization.namespace) setNamespace(manifest, kustomization.namespace);
    for (const container of podOf(manifest)?.containers ?? []) setTag(container, kustomization.images ?? []);
  }
  return manifests;
}

function applyTo(manifests: readonly Manifest[], path: string, target: { kind: string; name?: string } | undefined) {
  const patch: PatchStep[] | Manifest = parse(readFileSync(path, "utf8"));
  const { kind, name } = target ?? { kind: (patch as Manifest).kind, name: (patch as Manifest).metadata.name };
  const chosen = manifests.filter(
    (manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
  );
  if (chosen.length === 0) throw new Error(`${path} patches nothing`);
  for (const manifest of chosen) Array.isArray(patch) ? applyPatch(manifest, patch) : mergeMaps(manifest, patch);
}

function setNamespace(manifest: Manifest, namespace: string) {
  if (manifest.kind === "Namespace") manifest.metadata.name = namespace;
  else manifest.metadata.namespace = namespace;
}

function setTag(container: { image: string }, images: readonly { name: string; newTag: string }[]) {
  const image = images.find(({ name }) => name === container.image);
  if (image) container.image = `${image.name}:${image.newTag}`;
}
