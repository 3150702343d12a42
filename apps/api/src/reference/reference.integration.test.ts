import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits, problemCodes } from "@video-to-json/contract";
import express from "express";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { reference } from "./reference.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const get = (path: string, init?: RequestInit) => fetch(api.url + path, init);
const types: Record<string, string> = { css: "text/css", js: "text/javascript", json: "application/json" };

/** Returns the paths of the files that the page loads. */
async function assets(): Promise<string[]> {
  const page = await (await get("/docs")).text();
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
  return links.filter((link) => /^docs\/[\w.-]+$/.test(link));
}

test("the page and all files that it loads need no key, and each has its content type", async () => {
  const page = await get("/docs");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const found = await assets();
  expect(found).toHaveLength(4);
  for (const asset of found) {
    // Relative links also work below a path of a proxy.
    expect(asset).toMatch(/^docs\/[\w.-]+$/);
    const answer = await get(`/${asset}`);
    const type = types[asset.split(".").at(-1) ?? ""];
    expect([asset, answer.status, answer.headers.get("content-type")]).toEqual([asset, 200, `${type}; charset=utf-8`]);
    await answer.body?.cancel();
  }
});

test("the page loads from no other server and sends to none", async () => {
  for (const path of ["/docs", "/docs/page.js", "/docs/openapi.json"]) {
    const answer = await get(path);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    await answer.body?.cancel();
  }
  expect(await (await get("/docs")).text()).not.toMatch(/(?:src|href)="(?:https?:|\/\/)/);
  expect(await (await get("/docs/page.css")).text()).not.toMatch(/@import|url\((?!["']?data:)/);
});

/** Returns the addresses to which a page links on this server. */
async function linksOf(path: string): Promise<string[]> {
  const page = await get(path);
  expect([path, page.status, page.headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
  const links = [...(await page.text()).matchAll(/(?:src|href)="([^"#]+)/g)].map(([, link = ""]) => link);
  const own = links.filter((link) => !/^(?:https?:|data:)/.test(link));
  return own.map((link) => new URL(link, api.url + path).pathname);
}

test("the page shows every operation and shape of the description without a script, and each link on it leads somewhere", async () => {
  const page = await (await get("/docs")).text();
  const { paths, components } = (await (await get("/docs/openapi.json")).json()) as {
    paths: Record<string, Record<string, { operationId: string; "x-codeSamples": { label: string }[] }>>;
    components: { schemas: object };
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  expect(operations.length).toBeGreaterThan(7);
  for (const { operationId } of operations) expect(page).toContain(`<article id="${operationId}">`);
  for (const name of Object.keys(components.schemas)) expect(page).toContain(` id="schema-${name}"`);
  for (const word of ["idempotency-key", "out_of_minutes", "text/event-stream", "curl", "Python"])
    expect(page.toLowerCase()).toContain(word.toLowerCase());
  const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor = ""]) => anchor);
  expect(anchors.length).toBeGreaterThan(20);
  for (const anchor of anchors) expect([anchor, page.includes(` id="${anchor}"`)]).toEqual([anchor, true]);
  expect(page).not.toMatch(/undefined|\[object Object\]/);
});

test("the page links to documents for callers, and none of their links is dead", async () => {
  const found = new Set(["/docs"]);
  const guides = [];
  for (const path of found) {
    if (path !== "/docs" && !path.endsWith(".md")) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
      continue;
    }
    guides.push(path);
    for (const link of await linksOf(path)) found.add(link);
  }
  for (const name of ["quickstart.md", "troubleshooting.md", "cookbook/README.md", "cookbook/ad-breaks.md"])
    expect(guides).toContain(`/docs/guides/${name}`);
  expect(guides).toContain("/docs/packages/sdk-python/README.md");
});

test("an anchor of a document leads to a heading, and the marks of the tests are not shown", async () => {
  const page = await (await get("/docs/guides/troubleshooting.md")).text();
  const anchors = [...page.matchAll(/href="#([^"]+)"/g)].map(([, anchor = ""]) => anchor);
  expect(anchors.length).toBeGreaterThan(8);
  for (const anchor of anchors) expect(page).toContain(` id="${anchor}"`);
  expect(await (await get("/docs/guides/quickstart.md")).text()).not.toContain("<!-- ");
});

test("the description beside the page equals the one at /v1/openapi.json", async () => {
  const { headers } = await api.newCaller("reader@example.com");
  expect(await (await get("/docs/openapi.json")).text()).toBe(
    await (await get("/v1/openapi.json", { headers })).text(),
  );
});

test("the description for generators takes forms alone where a file may be sent, and is the same otherwise", async () => {
  const [plain, forGenerators] = await Promise.all(
    ["openapi", "openapi-for-generators"].map(async (name) =>
      JSON.parse(await (await get(`/docs/${name}.json`)).text()),
    ),
  );
  const body = plain.paths["/v1/extract"].post.requestBody;
  expect(Object.keys(body.content)).toEqual(["multipart/form-data", "application/json"]);
  delete body.content["application/json"];
  const { video } = plain.components.schemas.ExtractUpload.properties;
  for (const member of ["type", "format"]) delete video[member];
  expect(video).toMatchObject({ contentMediaType: "application/octet-stream" });
  expect(forGenerators).toEqual(plain);
});

test("a browser revalidates a cached file and does not load it again", async () => {
  for (const path of ["/docs", "/docs/page.css", "/docs/openapi.json"]) {
    const { headers, body } = await get(path);
    await body?.cancel();
    expect(headers.get("cache-control")).toBe("no-cache");
    const [etag, modified] = [headers.get("etag"), headers.get("last-modified")];
    const known: Record<string, string> = etag ? { "if-none-match": etag } : { "if-modified-since": modified ?? "" };
    expect((await get(path, { headers: { ...known, "cache-control": "max-age=0" } })).status).toBe(304);
    expect((await get(path, { method: "HEAD" })).status).toBe(200);
  }
});

test("no request opens a file, so a slow client keeps no file open", async () => {
  const opened = vi.spyOn(fs, "createReadStream");
  onTestFinished(() => opened.mockRestore());
  for (const asset of ["/docs", ...(await assets()).map((path) => `/${path}`)]) await (await get(asset)).text();
  expect(opened).not.toHaveBeenCalled();
});

test("/docs/ redirects to the page, and no other file beside it is served", async () => {
  const slash = await get("/docs/", { redirect: "manual" });
  expect([slash.status, slash.headers.get("location")]).toEqual([308, "../docs"]);
  for (const path of ["reference.ts", "package.json", "index.html", "..%2fpackage.json"]) {
    expect((await failure(get(`/docs/${path}`))).code).toBe("not_found");
  }
  expect((await failure(get("/docs", { method: "POST" }))).code).toBe("not_found");
});

test("the page of packages lists what the service has, and nothing else is served beside it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "v2j-packages-"));
  const contents = {
    "a-client-1.0.0.tgz": "an archive",
    "a_client-1.0.0-py3-none-any.whl": "a wheel",
    ".packed": "other",
  };
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content);
  let packages: string | undefined = folder;
  const parts = {
    openApiJson: Buffer.from("{}"),
    limits: defaultLimits,
    hasDashboard: false,
    packages: () => packages,
  };
  const server = express().use(reference(parts)).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  await once(server, "listening");
  const read = (name: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/packages/${name}`);

  const page = await read("");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const listed = [...(await page.text()).matchAll(/<td><a href="([^"]+)">.*?<code>([0-9a-f]{64})<\/code>/g)];
  expect(listed.map(([, name]) => name)).toEqual(["a-client-1.0.0.tgz", "a_client-1.0.0-py3-none-any.whl"]);
  for (const [, name = "", sum] of listed) {
    const content = Buffer.from(await (await read(name)).arrayBuffer());
    expect([name, createHash("sha256").update(content).digest("hex")]).toEqual([name, sum]);
  }
  for (const name of [".packed", "..%2f..%2fpackage.json", "%2e%2e%2fREADME.md", "a-client-9.9.9.tgz", "%00"]) {
    expect([name, (await read(name)).status]).toEqual([name, 404]);
  }
  packages = undefined;
  expect(await (await read("")).text()).toContain("scripts/pack-clients");
});

test("every error leads to the section of its code on the page of errors", async () => {
  const page = await (await get("/docs/guides/errors.md")).text();
  for (const code of problemCodes) expect(page).toContain(`<h2 id="${code}">`);
  const links = await Promise.all(
    [get("/v1/me"), get("/nowhere"), get("/v1/mcp", { method: "POST" })].map(async (sent) => {
      const answer = await sent;
      await answer.body?.cancel();
      return answer.headers.get("link");
    }),
  );
  const link = (code: string) => `</docs/guides/errors.md#${code}>; rel="help"`;
  expect(links).toEqual([link("unauthorised"), link("not_found"), link("unauthorised")]);
});

test("agents get each guide as Markdown, by the links of /llms.txt and by what they accept", async () => {
  const list = await get("/llms.txt");
  const links = [...(await list.text()).matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(15);
  for (const link of links.slice(1)) {
    const answer = await get(`/${link}`);
    expect([link, answer.headers.get("content-type")]).toEqual([link, "text/markdown; charset=utf-8"]);
    expect(await answer.text()).toMatch(/^# /m);
  }
  const type = async (accept: string) => {
    const answer = await get("/docs/guides/quickstart.md", { headers: { accept } });
    await answer.body?.cancel();
    return [answer.headers.get("content-type"), answer.headers.get("vary")];
  };
  expect(await type("text/markdown, */*;q=0.1")).toEqual(["text/markdown; charset=utf-8", "Accept"]);
  expect(await type("text/html,application/xhtml+xml,*/*;q=0.8")).toEqual(["text/html; charset=utf-8", "Accept"]);
});
