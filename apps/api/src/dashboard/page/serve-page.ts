import { existsSync } from "node:fs";
import { join } from "node:path";
import { type RequestHandler, Router } from "express";
import sirv from "sirv";

type Deps = {
  /** The directory of the built page. */
  readonly pageDirectory: string;
};

// The page loads everything from this server and sends nothing to any other. Videos play from the disk of the reader.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const missing =
  "The dashboard's page is not built. Run `pnpm --filter @video-to-json/dashboard build` and start the API again.\n";

/**
 * Returns the routes of the page: its files below `/dashboard/`, and its first page for every other path there, because
 * the page does its own routing. Assets have a hash in their names and are cached for ever; browsers request the page
 * anew each time. A browser that accepts Brotli or gzip gets the file `x.br` or `x.gz` instead of `x`.
 */
export function servePage({ pageDirectory }: Deps): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.get("/", (_request, response) => response.redirect(307, "dashboard/"));
  router.get("/dashboard", (_request, response) => response.redirect(308, "dashboard/"));
  router.use("/dashboard/", (_request, response, next) => {
    response.set({ "Content-Security-Policy": policy, "Cache-Control": "no-cache" });
    next();
  });
  router.get("/dashboard/{*path}", existsSync(join(pageDirectory, "index.html")) ? files(pageDirectory) : notBuilt);
  return router;
}

const notBuilt: RequestHandler = (_request, response) => {
  response.status(503).type("text").send(missing);
};

/** The list of the files is read once. */
function files(pageDirectory: string): RequestHandler {
  const serve = sirv(pageDirectory, {
    etag: true,
    brotli: true,
    gzip: true,
    single: true,
    ignores: [/^\/assets\//, /^\/api\//],
    setHeaders: (response, path) => {
      if (path.startsWith("/assets/")) response.setHeader("Cache-Control", "public, max-age=31536000, immutable");
      else response.setHeader("Cache-Control", "no-cache");
    },
  });
  return (request, response, next) => {
    const url = request.url;
    request.url = url.slice("/dashboard".length);
    serve(request, response, () => {
      request.url = url;
      next();
    });
  };
}
