import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Manifest, parseManifests } from "../manifests/manifest.ts";
import { parseTemplate } from "./parse-template.ts";
import { renderTemplate } from "./render-template.ts";

type Values = Record<string, unknown>;

/**
 * Returns the objects of a chart as `helm template` does, for machines without Helm. Supports what `parseTemplate` and
 * `renderTemplate` support, and values from files, of which later ones override earlier ones. Throws for anything else.
 * A test compares it with the real program if that is installed.
 */
export function renderChart(directory: string, { namespace, valueFiles }: { namespace: string; valueFiles: string[] }) {
  const read = (path: string) => readFileSync(join(directory, path), "utf8");
  const values = ["values.yaml", ...valueFiles].reduce((merged, file) => mergeValues(merged, parse(read(file))), {});
  const templates = readdirSync(join(directory, "templates")).map((file) => ({
    file,
    parts: parseTemplate(read(`templates/${file}`)),
  }));
  const definitions = templates.flatMap(({ parts }) => parts.filter((part) => part.is === "define"));
  const defined = new Map(definitions.map(({ name, parts }) => [name, parts]));
  const dot = { Values: values, Release: { Name: "video-to-json", Namespace: namespace } };
  return templates
    .filter(({ file }) => file.endsWith(".yaml"))
    .flatMap(({ parts }): Manifest[] => parseManifests(renderTemplate(parts, { dot, variables: {}, defined })));
}

/** Merges values as Helm does: maps member by member, `null` removes a member. */
function mergeValues(old: Values, added: Values): Values {
  const merged = { ...old };
  for (const [name, value] of Object.entries(added)) {
    if (value === null) delete merged[name];
    else merged[name] = isMap(value) && isMap(merged[name]) ? mergeValues(merged[name], value) : value;
  }
  return merged;
}

function isMap(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
