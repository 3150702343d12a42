import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { Part } from "./parse-template.ts";

/** The context of a template: its dot, its variables, and the named templates. */
export type Scope = {
  dot: unknown;
  variables: Readonly<Record<string, unknown>>;
  defined: ReadonlyMap<string, Part[]>;
};

/** Returns the text of a template. Throws for a missing value and for an unsupported function. */
export function renderTemplate(parts: readonly Part[], scope: Scope): string {
  return parts.map((part) => renderPart(part, scope)).join("");
}

function renderPart(part: Part, scope: Scope): string {
  switch (part.is) {
    case "text":
      return part.text;
    case "define":
      return "";
    case "value": {
      const value = evaluate(part.pipeline, scope);
      if (value === undefined || value === null) throw new Error(`${part.pipeline} has no value`);
      return String(value);
    }
    case "if":
      return renderTemplate(isTrue(evaluate(part.pipeline, scope)) ? part.parts : part.otherwise, scope);
    case "range": {
      const members = Object.entries(evaluate(part.pipeline, scope) as object).sort(([a], [b]) => (a < b ? -1 : 1));
      return members
        .map(([key, value]) =>
          renderTemplate(part.parts, {
            ...scope,
            dot: value,
            variables: { ...scope.variables, [part.key]: key, [part.value]: value },
          }),
        )
        .join("");
    }
  }
}

/** The value of a pipeline: each command gets the previous one's value as its last argument. */
function evaluate(pipeline: string, scope: Scope): unknown {
  return pipeline
    .split(" | ")
    .reduce<unknown[]>((piped, command) => [call(command.trim(), piped, scope)], [])
    .at(0);
}

function call(command: string, piped: readonly unknown[], scope: Scope): unknown {
  const words = command.match(/"[^"]*"|\S+/g) ?? [];
  const [name = "", ...rest] = words;
  if (/^[a-z]/i.test(name)) return apply(name, [...rest.map((word) => term(word, scope)), ...piped], scope);
  if (rest.length > 0) throw new Error(`"${command}" is not supported here`);
  return term(name, scope);
}

function term(word: string, scope: Scope): unknown {
  if (word.startsWith('"')) return JSON.parse(word);
  if (/^\d+$/.test(word)) return Number(word);
  const [root = "", ...names] = word.split(".");
  if (root !== "" && !root.startsWith("$")) throw new Error(`"${word}" is not supported here`);
  const start = root === "" ? scope.dot : scope.variables[root];
  return names
    .filter((name) => name !== "")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined | null)?.[name], start);
}

function apply(name: string, values: readonly unknown[], scope: Scope): unknown {
  const [first, second] = values;
  switch (name) {
    case "quote":
      return JSON.stringify(String(first));
    case "toYaml":
      return stringify(first).trimEnd();
    case "toJson":
      return JSON.stringify(first);
    case "sha256sum":
      return createHash("sha256").update(String(first)).digest("hex");
    case "nindent":
      return `\n${String(second).replace(/^/gm, " ".repeat(Number(first)))}`;
    case "include": {
      const parts = scope.defined.get(String(first));
      if (!parts) throw new Error(`no template defines "${first}"`);
      return renderTemplate(parts, { ...scope, dot: second, variables: {} });
    }
    default:
      throw new Error(`the function ${name} is not supported here`);
  }
}

/** Returns whether Go treats a value as true: zero, nil and empty values are false. */
function isTrue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
