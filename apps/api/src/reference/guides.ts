import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Limits } from "@video-to-json/contract";
import { limitsDocument } from "@video-to-json/contract/limits-text";
import { Marked } from "marked";

/** A document for callers, as a page of this server. */
export type Guide = {
  /** Its address, such as `/docs/guides/quickstart.md`. */
  readonly url: string;
  /** Its first heading. */
  readonly title: string;
  /** The document itself. */
  readonly text: string;
  /** Renders it. */
  body(): Buffer;
};

// An image has the documents beside its `dist`, the repository has them above this folder.
const roots = [join(import.meta.dirname, ".."), join(import.meta.dirname, "../../../..")];
const names = [
  ...["quickstart", "troubleshooting", "sketches", "evidence", "errors", "limits", "idempotency", "your-data"],
  ...["versions", "mcp", "cli"],
];
const readmes = ["packages/sdk/README.md", "packages/sdk-python/README.md"];

/**
 * Reads the documents for callers. Their addresses keep the folders of the repository, so that the links between them
 * work: `docs` is `/docs/guides`, and every other folder is below `/docs`. The page of limits has those of this service.
 */
export function readGuides(limits: Limits, hasDashboard: boolean): Guide[] {
  // An image without the documents still serves the interface.
  const root = roots.find((directory) => existsSync(join(directory, "docs/cookbook")));
  if (root === undefined) return [];
  const recipes = readdirSync(join(root, "docs/cookbook")).map((name) => `docs/cookbook/${name}`);
  const paths = [...names.map((name) => `docs/${name}.md`), ...recipes, ...readmes];
  const urls = new Map(paths.map((path) => [path, urlOf(path)]));
  return paths.map((path) => {
    // The document of the repository has the default limits.
    const text = path === "docs/limits.md" ? limitsDocument(limits) : readFileSync(join(root, path), "utf8");
    const url = urlOf(path);
    // A link to a document that is not served would lead nowhere.
    const isServed = (link: string) => urls.has(posix.join(posix.dirname(path), link.replace(/#.*$/, "")));
    const body = () => (path.endsWith(".md") ? renderGuide(text, { up: upFrom(url), isServed, hasDashboard }) : text);
    return { url, title: titleOf(text), text, body: () => Buffer.from(body()) };
  });
}

function urlOf(path: string): string {
  return `/docs/${path.replace(/^docs\//, "guides/")}`;
}

/** Returns the path from an address to `/docs/`. It is relative, so that it works below a path of a proxy. */
function upFrom(url: string): string {
  return "../".repeat(url.split("/").length - 3);
}

type Place = {
  /** The relative path to `/docs/`, such as `../`. */
  up: string;
  /** Whether a relative link leads to a page of this server. */
  isServed(link: string): boolean;
  /** Whether a reader can make a key in the dashboard of this service. */
  hasDashboard: boolean;
};

/** Renders a document of this repository as a page. Its headings have the anchors that GitHub gives them. */
function renderGuide(markdown: string, { up, isServed, hasDashboard }: Place): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const shown = this.parser.parseInline(tokens);
        const leadsSomewhere = /^(?:https?:|#)/.test(href) || isServed(href);
        return leadsSomewhere ? `<a href="${escaped(href)}">${shown}</a>` : shown;
      },
      ...shared,
    },
  });
  const body = marked.parse(markdown, { async: false });
  return page({ title: `${titleOf(markdown)}: Video-to-JSON`, up, body, hasDashboard });
}

/** How every page renders Markdown. */
export const shared = {
  // The documents contain no HTML but comments for tests.
  html: () => "",
  // A reader without a mouse can scroll it.
  code: ({ text }: { text: string }) => `<pre tabindex="0"><code>${escaped(text)}\n</code></pre>\n`,
};

type PageParts = { title: string; up: string; body: string; hasDashboard: boolean };

/** Returns a page of this server. `up`: the relative path to `/docs/`; `body`: HTML. */
export function page({ title, up, body, hasDashboard }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${up}page.css">
  </head>
  <body>
    <nav aria-label="Documents">
      <a href="${up}../docs">Reference</a>${hasDashboard ? `\n      <a href="${up}../dashboard/keys">Get a key</a>` : ""}
      <a href="${up}guides/quickstart.md">Quickstart</a>
      <a href="${up}guides/cookbook/README.md">Cookbook</a>
      <a href="${up}guides/sketches.md">Sketches</a>
      <a href="${up}guides/mcp.md">Agents</a>
      <a href="${up}guides/errors.md">Errors</a>
      <a href="${up}guides/your-data.md">Your data</a>
      <a href="${up}guides/troubleshooting.md">Troubleshooting</a>
    </nav>
    <main>
${body}    </main>
    <script src="${up}page.js"></script>
  </body>
</html>
`;
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? "";
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** Returns text that HTML shows as it is. */
export function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
