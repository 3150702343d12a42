import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { renderChart } from "./chart/render-chart.ts";
import { buildKustomization } from "./kustomize/build-kustomization.ts";
import { byName } from "./manifests/manifest.ts";

const directory = join(repositoryRoot, "infra/kubernetes");
const namespace = "video-to-json";

/** The directory of the chart. */
export const chartDirectory = join(directory, "chart");

/** The directory of an overlay. */
export const overlayDirectory = (name: string) => join(directory, "overlays", name);

/** Each overlay, with the files of values that make the chart equal to it. */
export const overlays = [
  { name: "small", valueFiles: [] },
  { name: "production", valueFiles: ["values-production.yaml"] },
] as const satisfies { name: string; valueFiles: string[] }[];

/** Every way to install the service, with its objects by kind and name. */
export function installations() {
  return overlays.flatMap(({ name, valueFiles }) => [
    { name: `overlay ${name}`, overlay: name, objects: byName(buildKustomization(overlayDirectory(name))) },
    {
      name: `chart like ${name}`,
      overlay: name,
      objects: byName(renderChart(chartDirectory, { namespace, valueFiles: [...valueFiles] })),
    },
  ]);
}
