import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { parse, stringify } from "yaml";

type Values = Record<string, unknown>;

export const chartDirectory = join(repositoryRoot, "infra/kubernetes/chart");

// Objects that others need come first; the others follow in the order of their files.
const firstKinds = ["NetworkPolicy", "ServiceAccount", "ConfigMap", "PersistentVolumeClaim"];

const read = (path: string) => readFileSync(join(chartDirectory, path), "utf8");

/** Does what `helm template` does, for machines without Helm. It knows only what the chart uses. */
export function renderChart(valueFiles: readonly string[], own: Values = {}, release = "video-to-json"): string {
  const values = valuesOf(valueFiles, own);
  const documents = readdirSync(join(chartDirectory, "templates"))
    .filter((file) => file.endsWith(".yaml"))
    .flatMap((file) => renderTemplate(read(`templates/${file}`), values, release).split(/^---$/m))
    .map((document) => document.trim())
    .filter((document) => document !== "");
  const rank = (document: string) => {
    const found = firstKinds.indexOf(/^kind: (\w+)$/m.exec(document)?.[1] ?? "");
    return found < 0 ? firstKinds.length : found;
  };
  return `${documents.toSorted((one, other) => rank(one) - rank(other)).join("\n---\n")}\n`;
}

/** Returns the values of an installation: those of the chart, of these files, and own ones. */
export function valuesOf(valueFiles: readonly string[], own: Values = {}): Values {
  const given = ["values.yaml", ...valueFiles].reduce((merged, file) => mergeValues(merged, parse(read(file))), {});
  return mergeValues(given, own);
}

const chart = { Version: parse(read("Chart.yaml")).version };

const functions: Readonly<Record<string, (value: unknown, argument: string) => string>> = {
  quote: (value) => JSON.stringify(String(value)),
  // Go sorts the members and escapes what HTML reads.
  toJson: (value) =>
    JSON.stringify(value, (_, part) => (isMap(part) ? Object.fromEntries(Object.entries(part).sort()) : part)).replace(
      /[<>&]/g,
      (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
    ),
  // Kubernetes reads YAML 1.1, in which a plain `off` is a boolean.
  toYaml: (value) => stringify(value, { version: "1.1" }).trimEnd(),
  nindent: (value, spaces) => `\n${String(value).replace(/^/gm, " ".repeat(Number(spaces)))}`,
  trunc: (value, length) => String(value).slice(0, Number(length)),
  sha256sum: (value) => createHash("sha256").update(String(value)).digest("hex"),
};

/** Knows values, lists of them, files of the chart, `if`, `else`, `range` and the functions above. Throws for anything else, and for a missing value. */
export function renderTemplate(template: string, values: Values, release = "video-to-json"): string {
  const dot = { Values: values, Release: { Name: release, Namespace: "video-to-json" }, Chart: chart };
  const valueAt = (path: string) =>
    path
      .split(".")
      .slice(1)
      .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], dot);
  // A block without another block in it.
  const block = /\{\{ (if|range \$name, \$value :=) (\.\S+) \}\}((?:(?!\{\{ (?:if|range|end)\b).)*)\{\{ end \}\}/s;
  let text = template.replace(/\s*\{\{-/g, "{{");
  for (let found = block.exec(text); found; found = block.exec(text)) {
    const [whole, keyword, path = "", body = ""] = found;
    const value = valueAt(path);
    const [yes = "", no = ""] = body.split("{{ else }}");
    const filled = keyword === "if" ? (isTrue(value) ? yes : no) : repeated(body, value as object);
    text = text.replace(whole, () => filled);
  }
  return text.replace(/\{\{ (.+?) \}\}/g, (_, pipeline: string) => {
    const [first = "", ...rest] = pipeline.replace(/^(?!list )(\w+) (\.\S+)/, "$2 | $1").split(" | ");
    const [, file] = /^\.Files\.Get "(.+)"$/.exec(first) ?? [];
    const listed = first.startsWith("list ") ? first.split(" ").slice(1).map(valueAt) : undefined;
    const known = first.startsWith(".") ? valueAt(first) : listed;
    const value = file ? read(file) : /^["\d]/.test(first) ? JSON.parse(first) : known;
    if (value === undefined || value === null) throw new Error(`${first} has no value`);
    return rest.reduce((result, command) => {
      const [name = "", argument = ""] = command.split(" ");
      const apply = functions[name];
      if (!apply) throw new Error(`the function ${name} is not supported here`);
      return apply(result, argument);
    }, value);
  });
}

function repeated(body: string, members: object): string {
  return Object.entries(members)
    .sort()
    .map(([name, value]) =>
      body.replaceAll("{{ $name }}", name).replaceAll("{{ $value", () => `{{ ${JSON.stringify(value)}`),
    )
    .join("");
}

/** Returns whether Go treats a value as true: empty values are false. */
function isTrue(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : Boolean(value);
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
