import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { type RequestHandler, Router } from "express";
import { description } from "./description.ts";

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
  router.get("/docs", bytes("html", readFileSync(own("page.html"))));
  router.get("/docs/", (_request, response) => response.redirect(308, "../docs"));
  for (const path of [own("page.css"), own("page.js"), ...renderer]) {
    router.get(`/docs/${basename(path)}`, bytes(extname(path), readFileSync(path)));
  }
  router.get("/docs/openapi.json", bytes("json", description(deps)));
  return router;
}

/** Answers with the same bytes each time: a caller who takes none of them holds neither a file nor a copy. */
function bytes(type: string, body: Buffer): RequestHandler {
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  return (_request, response) => {
    response.set("ETag", etag).type(type).send(body);
  };
}
