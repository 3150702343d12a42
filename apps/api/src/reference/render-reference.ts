import { isJsonObject } from "@video-to-json/contract";
import { Marked } from "marked";
import { escaped, page, shared } from "./guides.ts";

type Node = Readonly<Record<string, unknown>>;
type Media = { schema?: Node; examples?: Readonly<Record<string, { summary?: string; value: unknown }>> };
type Content = Readonly<Record<string, Media>>;
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: readonly (Node & { name: string; in: string; schema?: Node })[];
  requestBody?: { description?: string; content: Content };
  responses: Readonly<Record<string, { description: string; headers?: Node; content?: Content }>>;
  "x-codeSamples": readonly { label: string; source: string }[];
};
/** The parts of the interface description that the page shows. */
export type Interface = {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Node>>; headers: Readonly<Record<string, Node>> };
};

const marked = new Marked({ renderer: shared });
const prose = (text: unknown) => (typeof text === "string" ? marked.parse(text, { async: false }) : "");
const inline = (text: unknown) => (typeof text === "string" ? marked.parseInline(text, { async: false }) : "");
const block = (text: string) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;
const folded = (title: string, body: string, isOpen = false) =>
  `<details${isOpen ? " open" : ""}><summary>${title}</summary>${body}</details>`;

/**
 * Returns the reference page: the interface description for people, as HTML that needs no script. Each operation has an anchor with
 * its `operationId`, each shape one with `schema-` and its name.
 */
export function renderReference(document: Interface, hasDashboard: boolean): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const contents = operations
    .map(({ path, method, operation }) => {
      return `<li><a href="#${operation.operationId}"><code>${method} ${escaped(path)}</code></a> ${inline(operation.summary)}</li>`;
    })
    .join("\n");
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    const articles = own.map((each) => renderOperation(each, components)).join("\n");
    return own.length === 0 ? "" : `<section><h2>${escaped(name)}</h2>${prose(description)}${articles}</section>`;
  });
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="schema-${escaped(name)}">${escaped(name)}</h3>${renderShape(schema)}`,
  );
  const body = `<h1>${escaped(info.title)}: reference</h1>
<p>Version ${escaped(info.version)}. The same for programs: <a href="docs/openapi.json">openapi.json</a>.
For generators of clients: <a href="docs/openapi-for-generators.json">openapi-for-generators.json</a>.</p>
${prose(info.description)}
<h2 id="operations">Operations</h2>
<ul>
${contents}
</ul>
${groups.join("\n")}
<section><h2 id="shapes">Shapes</h2>
${shapes.join("\n")}
</section>
`;
  return page({ title: `${info.title}: reference`, up: "docs/", body, hasDashboard });
}

type Shown = { path: string; method: string; operation: Operation };

function renderOperation({ path, method, operation }: Shown, { headers }: Interface["components"]): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const samples = operation["x-codeSamples"].map(({ label, source }, index) =>
    folded(escaped(label), block(source), index === 0),
  );
  const rows = parameters.map((parameter) => {
    const { name, in: place, schema = {}, required, description } = parameter;
    return `<tr><td><code>${escaped(name)}</code></td><td>${escaped(place)}, ${kindOf(schema)}${required ? ", required" : ""}</td><td>${inline(description)}</td></tr>`;
  });
  const answers = Object.entries(responses).map(([status, { description, headers: own = {}, content = {} }]) => {
    const named = Object.entries(own).map(([name, header]) => {
      const { description } = resolved(header, headers);
      return `<tr><td><code>${escaped(name)}</code></td><td>${inline(description)}</td></tr>`;
    });
    const table = named.length === 0 ? "" : folded("Headers", tableOf(["header", "what it says"], named), false);
    return `<h5>${escaped(status)}</h5>${prose(description)}${renderContent(content)}${table}`;
  });
  return `<article id="${escaped(operationId)}">
<h3>${inline(summary)}</h3>
<p class="route"><code>${method} ${escaped(path)}</code></p>
${prose(description)}
${samples.join("\n")}
${rows.length === 0 ? "" : `<h4>Parameters</h4>${tableOf(["name", "what it is", "meaning"], rows)}`}
${requestBody ? `<h4>Request</h4>${prose(requestBody.description)}${renderContent(requestBody.content)}` : ""}
<h4>Responses</h4>
${answers.join("\n")}
</article>`;
}

function renderContent(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema, examples = {} }]) => {
      const shown = Object.entries(examples).map(([name, { summary, value }]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
        return folded(`Example: ${inline(summary ?? name)}`, block(text));
      });
      return `<p><code>${escaped(type)}</code></p>${schema ? renderShape(schema) : ""}${shown.join("\n")}`;
    })
    .join("\n");
}

/** Shows the members of a shape as a table, those inside others by their path; any other shape by its kind. */
function renderShape(schema: Node): string {
  const rows = membersOf(schema, "").map(({ path, member, isRequired }) => {
    const kind = `${kindOf(member)}${isRequired ? ", required" : ""}`;
    return `<tr><td><code>${escaped(path)}</code></td><td>${kind}</td><td>${inline(member.description)}${boundsOf(member)}</td></tr>`;
  });
  const about = prose(schema.description);
  if (rows.length === 0) return `${about}<p>${kindOf(schema)}${boundsOf(schema)}</p>`;
  return about + tableOf(["member", "kind", "meaning"], rows);
}

type Member = { path: string; member: Node; isRequired: boolean };

const maxDepth = 4;

function membersOf(schema: Node, prefix: string, depth = 0): Member[] {
  if (depth > maxDepth) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  const members = own.flatMap(([name, member]): Member[] => {
    if (!isJsonObject(member)) return [];
    const path = prefix + name;
    return [
      { path, member, isRequired: required.includes(name) },
      ...membersOf(member, `${path}.`, depth + 1),
      ...(isJsonObject(member.items) ? membersOf(member.items, `${path}[].`, depth + 1) : []),
    ];
  });
  const inItems = isJsonObject(schema.items) && prefix === "" ? membersOf(schema.items, "[].", depth + 1) : [];
  const all = Array.isArray(schema.allOf) ? schema.allOf.filter(isJsonObject) : [];
  return [...members, ...inItems, ...all.flatMap((part) => membersOf(part, prefix, depth + 1))];
}

/** Returns the kind of a value in words, with links to the shapes that it names. */
function kindOf(schema: Node): string {
  const { $ref, type, items, format } = schema;
  if (typeof $ref === "string") {
    const name = $ref.split("/").at(-1) ?? "";
    return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  }
  for (const choices of [schema.anyOf, schema.oneOf])
    if (Array.isArray(choices)) return choices.filter(isJsonObject).map(kindOf).join(" or ");
  if (Array.isArray(schema.enum))
    return schema.enum.map((each) => `<code>${escaped(JSON.stringify(each))}</code>`).join(" | ");
  if (schema.const !== undefined) return `<code>${escaped(JSON.stringify(schema.const))}</code>`;
  if (type === "array" && isJsonObject(items)) return `array of ${kindOf(items)}`;
  const name = Array.isArray(type) ? type.join(" or ") : String(type ?? "any value");
  return escaped(typeof format === "string" ? `${name} (${format})` : name);
}

const bounds = {
  ...{ minimum: "at least", maximum: "at most", minLength: "characters, at least", maxLength: "characters, at most" },
  ...{
    minItems: "items, at least",
    maxItems: "items, at most",
    pattern: "pattern",
    default: "default",
    example: "such as",
  },
} as const;

function boundsOf(schema: Node): string {
  const shown = Object.entries(bounds).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : `${words} <code>${escaped(JSON.stringify(schema[keyword]))}</code>`,
  );
  return shown.length === 0 ? "" : ` <span class="bounds">(${shown.join("; ")})</span>`;
}

function resolved(node: unknown, headers: Interface["components"]["headers"]): Node {
  if (!isJsonObject(node)) return {};
  return typeof node.$ref === "string" ? (headers[node.$ref.split("/").at(-1) ?? ""] ?? {}) : node;
}

function tableOf(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => `<th scope="col">${title}</th>`).join("");
  return `<div class="table" tabindex="0" role="group" aria-label="${escaped(titles.join(", "))}"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
