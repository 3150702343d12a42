import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { servePage } from "./serve-page.ts";

const script = `export const hello = "${"hello ".repeat(100)}";`;

/** Serves a page. Returns a function that requests one of its paths. */
async function serve({ isBuilt = true } = {}) {
  const pageDirectory = await mkdtemp(join(tmpdir(), "v2j-page-"));
  if (isBuilt) {
    await mkdir(join(pageDirectory, "assets"));
    await writeFile(join(pageDirectory, "index.html"), "<!doctype html><title>Page</title>");
    await writeFile(join(pageDirectory, "assets/app-1a2b.js"), script);
    await writeFile(join(pageDirectory, "assets/app-1a2b.js.br"), brotliCompressSync(script));
  }
  const app = express().disable("etag");
  app.use(servePage({ pageDirectory }));
  app.use((_request, response) => {
    response.status(404).send("none");
  });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(async () => {
    server.close();
    await rm(pageDirectory, { recursive: true });
  });
  const { port } = server.address() as { port: number };
  return (path: string, headers: Record<string, string> = { "accept-encoding": "identity" }) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", headers });
}

test("the page is at /dashboard/ and at every path below, and browsers revalidate it each time", async () => {
  const get = await serve();
  for (const path of ["/dashboard/", "/dashboard/jobs/1", "/dashboard/sign-in?x=1"]) {
    const page = await get(path);
    expect([page.status, page.headers.get("cache-control"), await page.text()], path).toEqual([
      200,
      "no-cache",
      expect.stringContaining("<title>Page"),
    ]);
  }
  expect((await get("/")).headers.get("location")).toBe("dashboard/");
  expect((await get("/dashboard")).headers.get("location")).toBe("dashboard/");
});

test("the page runs no foreign script, loads nothing from elsewhere and cannot be framed", async () => {
  const policy = (await (await serve())("/dashboard/")).headers.get("content-security-policy") ?? "";
  const directives = new Map(
    policy.split("; ").map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1)]),
  );
  expect(directives.get("default-src")).toEqual(["'none'"]);
  expect(directives.get("script-src")).toEqual(["'self'"]);
  expect(directives.get("media-src")).toEqual(["blob:"]);
  expect(directives.get("img-src")).toEqual(["'self'", "blob:", "data:"]);
  expect(directives.get("frame-ancestors")).toEqual(["'none'"]);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test("an asset is cached for ever and compressed; a missing asset is 404, not the page", async () => {
  const get = await serve();
  const plain = await get("/dashboard/assets/app-1a2b.js");
  expect([plain.headers.get("cache-control"), plain.headers.get("content-type"), await plain.text()]).toEqual([
    "public, max-age=31536000, immutable",
    expect.stringMatching(/^text\/javascript/),
    script,
  ]);
  const small = await get("/dashboard/assets/app-1a2b.js", { "accept-encoding": "br" });
  expect([small.headers.get("content-encoding"), small.headers.get("vary"), await small.text()]).toEqual([
    "br",
    "Accept-Encoding",
    script,
  ]);
  expect((await get("/dashboard/assets/app-0000.js")).status).toBe(404);
  expect((await get("/dashboard/..%2f..%2fetc/passwd")).status).not.toBe(500);
});

test("a page that is not built says how to build it", async () => {
  const answer = await (await serve({ isBuilt: false }))("/dashboard/");
  expect([answer.status, await answer.text()]).toEqual([
    503,
    expect.stringMatching(/^The dashboard's page is not built\. Run /),
  ]);
});
