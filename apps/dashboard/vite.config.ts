import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Small modules that several pages share. One file of them arrives sooner than many. */
const smallParts = {
  name: "small-parts",
  test: /src.design.(?:button|card|badge|copy-button|field|page|skeleton|notice|empty-state|format)|lucide-react/,
  minShareCount: 2,
};

/**
 * Builds the page that the API serves below /dashboard. Everything is in separate files, because the page's
 * Content-Security-Policy allows no inline script, no inline style, no data URL and no foreign origin.
 */
export default defineConfig({
  base: "/dashboard/",
  plugins: [react(), pageFirst(), fontFirst(), compressed()],
  build: {
    target: "es2024",
    assetsInlineLimit: 0,
    // The licences of the libraries must be shipped with their code.
    license: { fileName: "licences.md" },
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [smallParts] } } },
  },
});

/** Lists the files of each page in the document, for `before-paint.js`. `src/jobs/jobs-page.tsx` is the page `jobs`. */
function pageFirst(): Plugin {
  return {
    name: "page-first",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const filesOf = (name: string): string[] => {
          const chunk = bundle[name];
          if (chunk?.type !== "chunk") return [];
          return [name, ...(chunk.viteMetadata?.importedCss ?? []), ...chunk.imports.flatMap(filesOf)];
        };
        const pages = Object.values(bundle).flatMap((chunk) => {
          const [, page] =
            /\/src\/([^/]+)\/\1-page\.tsx$/.exec((chunk.type === "chunk" && chunk.facadeModuleId) || "") ?? [];
          const files = [...new Set(filesOf(chunk.fileName))].filter((file) => !html.includes(file));
          return page ? [[page, files] as const] : [];
        });
        const list = JSON.stringify(Object.fromEntries(pages)).replaceAll('"', "&quot;");
        return html.replace("<html", `<html data-pages="${list}"`);
      },
    },
  };
}

/** Makes the browser fetch the font at once, so that texts look the same from the first paint on. */
function fontFirst(): Plugin {
  return {
    name: "font-first",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => /geist-latin-wght-normal-[^/]+\.woff2$/.test(name));
        if (!font) return [];
        const attrs = { rel: "preload", href: `/dashboard/${font}`, as: "font", type: "font/woff2", crossorigin: true };
        return [{ tag: "link", attrs, injectTo: "head" }];
      },
    },
  };
}

/** Writes `x.br` and `x.gz` beside each file `x` that shrinks, so that the API compresses nothing. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(?:js|css|html|svg)$/.test(name)) continue;
        const path = join(dir, name);
        const bytes = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(bytes));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
