import { execFileSync } from "node:child_process";
import { findCommand } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { overlayDirectory, overlays } from "../installations.ts";
import { byName, parseManifests } from "../manifests/manifest.ts";
import { applyPatch, mergeMaps } from "./apply-patch.ts";
import { buildKustomization } from "./build-kustomization.ts";

/** The real program, if this machine has one. */
function realProgram(): [string, string[]] | undefined {
  const kustomize = findCommand("kustomize");
  if (kustomize) return [kustomize, ["build"]];
  const kubectl = findCommand("kubectl");
  return kubectl ? [kubectl, ["kustomize"]] : undefined;
}

test.skipIf(!realProgram()).each(overlays)("kustomize builds the same objects of $name", ({ name }) => {
  const [command, words] = realProgram() ?? ["", []];
  const text = execFileSync(command, [...words, overlayDirectory(name)], { encoding: "utf8" });
  expect(byName(buildKustomization(overlayDirectory(name)))).toEqual(byName(parseManifests(text)));
});

test("a patch with an unknown path is an error", () => {
  const target = () => ({ spec: { list: [1], map: { a: 1 } } });
  const patched = target();
  applyPatch(patched, [
    { op: "add", path: "/spec/list/-", value: 2 },
    { op: "replace", path: "/spec/map/a", value: 3 },
  ]);
  expect(patched).toEqual({ spec: { list: [1, 2], map: { a: 3 } } });
  for (const path of ["/spec/other/a", "/spec/map/b", "/spec/list/7"]) {
    expect(() => applyPatch(target(), [{ op: "replace", path, value: 1 }])).toThrow(/nowhere/);
  }
  expect(() => applyPatch(target(), [{ op: "remove", path: "/spec/map/a" }])).toThrow(/not supported/);
  expect(() => mergeMaps(target(), { spec: { list: [2] } })).toThrow(/JSON patch/);
});
