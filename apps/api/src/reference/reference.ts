import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Limits } from "@video-to-json/contract";
import { type RequestHandler, Router } from "express";
import { forGenerators } from "../openapi/openapi-document.ts";
import { type Guide, page, readGuides } from "./guides.ts";
import { renderReference } from "./render-reference.ts";

type Deps = {
  /** The interface description as JSON. */
  readonly openApiJson: Buffer;
  readonly limits: Limits;
  readonly hasDashboard: boolean;
  /** Returns the folder of the clients' packages. Default: where an image or the repository has them. */
  readonly packages?: () => string | undefined;
};

const headers = {
  // The page loads everything from this server and sends nothing to any other.
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // Browsers keep it and revalidate it with its ETag.
  "Cache-Control": "no-cache",
};

/**
 * Returns the routes of the reference page at `/docs`, which renders the interface description for people, and of the
 * documents for callers at `/docs/guides`. Like the interface description, they need no key. Links are relative, so
 * that they also work below a path of a proxy.
 */
export function reference({ openApiJson, limits, hasDashboard, packages = packagesFolder }: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.use("/docs", (_request, response, next) => {
    response.set(headers);
    next();
  });
  router.get(
    "/docs",
    rendered("html", () => Buffer.from(renderReference(JSON.parse(openApiJson.toString()), hasDashboard))),
  );
  router.get("/docs/", (_request, response) => response.redirect(308, "../docs"));
  for (const name of ["page.css", "page.js"]) {
    router.get(`/docs/${name}`, bytes(extname(name), readFileSync(join(import.meta.dirname, name))));
  }
  router.get("/docs/openapi.json", bytes("json", openApiJson));
  router.get("/docs/openapi-for-generators.json", bytes("json", Buffer.from(forGenerators(openApiJson.toString()))));
  const guides = readGuides(limits, hasDashboard);
  for (const { url, text, body } of guides) {
    if (url.endsWith(".md")) router.get(url, plainFor(bytes("text/markdown", Buffer.from(text))));
    router.get(url, rendered(url.endsWith(".json") ? "json" : "html", body));
  }
  router.get("/docs/packages/", async (_request, response) =>
    response.type("html").send(await packagesPage(packages(), hasDashboard)),
  );
  router.get("/docs/packages/:name", async ({ params: { name } }, response, next) => {
    const content = await readPackage(packages(), name);
    if (!content) return next();
    response.type(name.endsWith(".whl") ? "application/zip" : "application/gzip").send(content);
  });
  router.get("/llms.txt", bytes("text/markdown", Buffer.from(llmsText(guides))));
  return router;
}

/** Answers agents with the document itself: they ask for Markdown, or follow a link of `/llms.txt`. */
function plainFor(plain: RequestHandler): RequestHandler {
  return (request, response, next) => {
    response.vary("Accept");
    const isPlain = request.query.plain !== undefined || request.accepts(["html", "text/markdown"]) === "text/markdown";
    return isPlain ? plain(request, response, next) : next();
  };
}

/** Returns what agents read first (llmstxt.org). Links are relative, so that they work below a path of a proxy. */
function llmsText(guides: readonly Guide[]): string {
  const links = guides
    .filter(({ url }) => url.endsWith(".md"))
    .map(({ url, title }) => `- [${title}](${url.slice(1)}?plain)`);
  return `# Video-to-JSON

> One call turns a video into JSON that conforms to the caller's schema.

The interface is described at [docs/openapi.json](docs/openapi.json). Agents call \`/v1/mcp\`.

## Guides

${links.join("\n")}
`;
}

/** Answers every request with the result of `body`, which the first request computes. */
function rendered(type: string, body: () => Buffer): RequestHandler {
  let answer: RequestHandler | undefined;
  return (request, response, next) => {
    answer ??= bytes(type, body());
    return answer(request, response, next);
  };
}

/** Answers every request with the same buffer, so that a slow client costs neither an open file nor a copy. */
function bytes(type: string, body: Buffer): RequestHandler {
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return (_request, response) => {
    response.set("ETag", etag).type(type).send(body);
  };
}

// An image has the packages beside its `dist`. `scripts/pack-clients` writes them into the repository.
const folders = [join(import.meta.dirname, "../clients"), join(import.meta.dirname, "../../../../.local/clients")];
const kept = new Map<string, Buffer>();

/** Returns the folder of this service's packages. It may be missing: `scripts/pack-clients` may run while the service runs. */
const packagesFolder = () => folders.find((path) => existsSync(path));

async function packageNames(folder: string | undefined): Promise<string[]> {
  const names = folder === undefined ? [] : await readdir(folder);
  return names.filter((name) => /\.(?:tgz|whl|tar\.gz)$/.test(name)).sort();
}

/**
 * Returns a package of a client that matches this service, or undefined if no package has this name. Each is read once:
 * a slow download then costs no open file.
 */
async function readPackage(folder: string | undefined, name: string): Promise<Buffer | undefined> {
  // Only a name from the folder itself becomes part of a path.
  if (folder === undefined || !(await packageNames(folder)).includes(name)) return undefined;
  const path = join(folder, name);
  const content = kept.get(path) ?? (await readFile(path));
  kept.set(path, content);
  return content;
}

/** Returns the page that lists the packages, each with its SHA-256. `pip --find-links` reads it too. */
async function packagesPage(folder: string | undefined, hasDashboard: boolean): Promise<string> {
  const rows = await Promise.all(
    (await packageNames(folder)).map(async (name) => {
      const sum = createHash("sha256")
        .update((await readPackage(folder, name)) ?? "")
        .digest("hex");
      return `<tr><td><a href="${name}">${name}</a></td><td><code>${sum}</code></td></tr>\n`;
    }),
  );
  const table = `<table><thead><tr><th>package</th><th>SHA-256</th></tr></thead><tbody>\n${rows.join("")}</tbody></table>\n`;
  const body = `<h1>Packages</h1>
<p>The clients that match this service. The <a href="../guides/quickstart.md">quickstart</a> installs them from here.</p>
${rows.length > 0 ? table : "<p>This service has none. Its operator can pack them with <code>scripts/pack-clients</code>.</p>\n"}`;
  return page({ title: "Packages: Video-to-JSON", up: "../", body, hasDashboard });
}
