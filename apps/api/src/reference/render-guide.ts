import { Marked } from "marked";

type Place = {
  /** The relative path to `/docs/`, such as `../`. */
  up: string;
  /** Whether a relative link leads to a page of this server. */
  isServed(link: string): boolean;
};

/** Renders a document of this repository as a page. Its headings have the anchors that GitHub gives them. */
export function renderGuide(markdown: string, { up, isServed }: Place): string {
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
      // The documents contain no HTML but comments for tests.
      html: () => "",
    },
  });
  const [, title = ""] = /^# (.*)$/m.exec(markdown) ?? [];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(title)}: Video-to-JSON</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${up}guide.css">
  </head>
  <body>
    <nav>
      <a href="${up}../docs">Reference</a>
      <a href="${up}guides/quickstart.md">Quickstart</a>
      <a href="${up}guides/cookbook/README.md">Cookbook</a>
      <a href="${up}guides/sketches.md">Sketches</a>
      <a href="${up}guides/mcp.md">Agents</a>
      <a href="${up}guides/errors.md">Errors</a>
      <a href="${up}guides/troubleshooting.md">Troubleshooting</a>
    </nav>
    <main>
${marked.parse(markdown, { async: false })}    </main>
    <script src="${up}guide.js"></script>
  </body>
</html>
`;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
}
