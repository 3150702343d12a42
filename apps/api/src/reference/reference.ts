import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { openApiDocument } from "@video-to-json/contract";
import { type RequestHandler, Router } from "express";

type Deps = { readonly publicUrl: string | undefined };

const require = createRequire(import.meta.url);
const own = (name: string) => join(import.meta.dirname, name);
const renderer = [
  require.resolve("swagger-ui-dist/swagger-ui.css"),
  require.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
];

const headers = {
  // Everything comes from here, and nothing is sent anywhere.
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // Kept by browsers, and asked for again only by its ETag.
  "Cache-Control": "no-cache",
};

/**
 * The reference page at `/docs`: the interface description, rendered for people. It needs no key, and neither does the
 * description beside it; both are public. Links are relative, so that they hold behind a proxy's path as well.
 */
export function reference(deps: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.use("/docs", (_request, response, next) => {
    response.set(headers);
    next();
  });
  router.get("/docs", file(own("page.html")));
  router.get("/docs/", (_request, response) => response.redirect(308, "../docs"));
  for (const path of [own("page.css"), own("page.js"), ...renderer]) {
    router.get(`/docs/${basename(path)}`, file(path));
  }
  router.get("/docs/openapi.json", description(deps));
  return router;
}

function file(path: string): RequestHandler {
  // Packages lie in folders whose names begin with a dot, which a bare path would not be read from.
  const options = { root: dirname(path), cacheControl: false };
  return (_request, response) => response.sendFile(basename(path), options);
}

function description({ publicUrl }: Deps): RequestHandler {
  const document = JSON.stringify(openApiDocument(publicUrl ?? "/"));
  const etag = `"${createHash("sha256").update(document).digest("base64url")}"`;
  return (_request, response) => {
    response.set("ETag", etag).type("application/json").send(document);
  };
}
