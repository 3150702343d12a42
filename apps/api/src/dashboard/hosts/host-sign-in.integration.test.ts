import { createHash, randomBytes } from "node:crypto";
import { dashboardCodes } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDashboard } from "../dashboard.harness.ts";

let service: Awaited<ReturnType<typeof startDashboard>>;
let signedIn: Awaited<ReturnType<(typeof service)["signedIn"]>>;
beforeAll(async () => {
  service = await startDashboard();
  signedIn = await service.signedIn();
});
afterAll(() => service[Symbol.asyncDispose]());

const callback = "http://127.0.0.1/callback";
const elsewhere = "https://evil.example.com/callback";
const key = { name: "Our host", scope: "read", monthly_limit_minutes: null, ends_at: null };

let networks = 0;
/** Sends a request as a host does, from a network of its own. */
const send = (path: string, init: RequestInit = {}, network = `10.77.${networks++}.1`) =>
  fetch(`${service.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { "x-forwarded-for": network, ...init.headers },
  });
const register = (body: object, network?: string) =>
  send("/register", { method: "POST", body: JSON.stringify(body) }, network);
const idOf = async (redirect_uris: string[], client_name = "Host") =>
  ((await (await register({ client_name, redirect_uris })).json()) as { client_id: string }).client_id;

/** A host that registered, with the request that it sends a browser to. */
async function newHost(redirectUri = "http://127.0.0.1:4567/callback") {
  const verifier = randomBytes(32).toString("base64url");
  const query = {
    response_type: "code",
    client_id: await idOf([callback, "https://host.example.com/cb?a=1"]),
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    state: "1e5&x",
    scope: "extract",
    resource: `${service.url}/v1/mcp`,
  };
  return { verifier, query };
}

const packed = (query: Record<string, string>) => Buffer.from(`${new URLSearchParams(query)}`).toString("base64url");
const ask = (query: Record<string, string>) => signedIn.browser.send("GET", `/connect?request=${packed(query)}`);
const consent = (query: Record<string, string>, made: object = key) =>
  signedIn.browser.json<{ url: string }>("POST", "/connect", { request: packed(query), key: made });
const exchange = async (fields: Record<string, string>) => {
  const form = new URLSearchParams({ grant_type: "authorization_code", ...fields });
  const answer = await send("/token", { method: "POST", body: form });
  return { ...((await answer.json()) as { access_token?: string }), status: answer.status };
};

test("a host gets an API key of the account as its access token, with the name, scope, limit and end of the consent", async () => {
  const { verifier, query } = await newHost();
  const seen = await (await ask(query)).json();
  expect(seen).toMatchObject({ name: "Host", to: null, scope: "extract" });
  const ends_at = new Date(Date.now() + 86_400_000).toISOString();
  const { url } = await consent(query, { ...key, monthly_limit_minutes: 7, ends_at });
  const answered = Object.fromEntries(new URL(url).searchParams);
  expect(answered).toEqual({ code: expect.any(String), state: "1e5&x", iss: service.url });
  const { client_id, redirect_uri } = query;
  const fields = { client_id, redirect_uri, code: answered.code ?? "", code_verifier: verifier };
  const token = await exchange(fields);
  expect(token).toMatchObject({ status: 200, token_type: "Bearer", scope: "read" });
  const me = await fetch(`${service.url}/v1/me`, { headers: { authorization: `Bearer ${token.access_token}` } });
  expect(await me.json()).toMatchObject({ email: signedIn.email });
  const { keys } = await signedIn.browser.get("/keys");
  expect(keys).toEqual([expect.objectContaining({ ...key, monthly_limit_minutes: 7, ends_at, state: "live" })]);
  // The code worked once.
  expect(await exchange(fields)).toMatchObject({ status: 400, error: "invalid_grant" });
});

test.each<[string, (fields: Record<string, string>) => Promise<object> | object]>([
  ["another verifier", () => ({ code_verifier: "x".repeat(43) })],
  ["no verifier", () => ({ code_verifier: "" })],
  ["another host", async () => ({ client_id: await idOf([callback], "Other") })],
  ["another redirect URI", () => ({ redirect_uri: "http://127.0.0.1:4568/callback" })],
  [
    "more than a minute",
    async ({ code = "" }) => {
      const name = `consent ${createHash("sha256").update(code).digest("base64url")}`;
      await service.db.execute(
        `update dashboard_codes set expires_at = expires_at - interval '60 seconds' where identifier = '${name}'`,
      );
      return {};
    },
  ],
])("a code fetches nothing with %s, and nothing afterwards", async (_name, change) => {
  const { verifier, query } = await newHost();
  const { url } = await consent(query);
  const { client_id, redirect_uri } = query;
  const code = new URL(url).searchParams.get("code") ?? "";
  const fields = { client_id, redirect_uri, code, code_verifier: verifier };
  for (const wrong of [{ ...fields, ...(await change(fields)) }, fields]) {
    expect(await exchange(wrong)).toMatchObject({ status: 400, error: "invalid_grant" });
  }
});

const mixed = "http://127.0.0.1:80@evil.example.com/callback";
test.each<[string, Record<string, string>]>([
  ["a host that is not registered here", { client_id: "e30.x" }],
  ["a redirect URI that the host did not register", { redirect_uri: elsewhere }],
  ["a redirect URI with another path", { redirect_uri: `${callback}/x` }],
  ["a redirect URI with another query", { redirect_uri: "https://host.example.com/cb?a=1&b=2" }],
  ["a redirect URI with another port that is not loopback", { redirect_uri: "https://host.example.com:444/cb?a=1" }],
  ["a redirect URI whose user is a loopback address", { redirect_uri: mixed }],
  ["a plain challenge", { code_challenge_method: "plain" }],
  ["no challenge", { code_challenge: "" }],
  ["another answer than a code", { response_type: "token" }],
  ["another service as its resource", { resource: "https://evil.example.com/v1/mcp" }],
])("a request with %s is refused on the page, and the browser stays", async (_name, change) => {
  const query = { ...(await newHost()).query, ...change };
  expect((await ask(query)).status).toBe(400);
  await expect(consent(query)).rejects.toThrow("400");
});

test.each([
  elsewhere.replace("https", "http"),
  "javascript:alert(1)//",
  "https://user@host.example.com/",
  "https://host.example.com/#x",
  "http://127.0.0.1.evil.example.com/",
  "http://localhost\\@evil.example.com/",
  "ms-search:query",
  "data:text/html,x",
  "file:///etc/passwd",
  "cursor://user@host/callback",
  "",
])("the redirect URI %j cannot be registered", async (uri) => {
  expect(await (await register({ redirect_uris: [uri] })).json()).toMatchObject({ error: "invalid_client_metadata" });
});

test.each([
  ["cursor://anysphere.example/oauth/callback", "cursor:"],
  ["com.example.app:/callback", "com.example.app:"],
])("a program that owns the scheme of %j gets its code there, and the page names the scheme", async (uri, scheme) => {
  const { query } = await newHost();
  const own = { ...query, client_id: await idOf([uri]), redirect_uri: uri };
  expect(await (await ask(own)).json()).toMatchObject({ to: expect.stringContaining(scheme) });
  const { url } = await consent(own);
  expect(url).toMatch(new RegExp(`^${uri}\\?code=`));
  expect((await ask({ ...own, redirect_uri: `${uri}/x` })).status).toBe(400);
});

test("registrations take no room, have a size, and are limited by network", async () => {
  const rows = () => service.db.$count(dashboardCodes);
  const before = await rows();
  const uris = [elsewhere];
  const long = await register({ client_name: "x".repeat(5000), redirect_uris: uris });
  expect(((await long.json()) as { client_name: string }).client_name).toHaveLength(60);
  expect((await register({ redirect_uris: [`${elsewhere}/${"x".repeat(2000)}`] })).status).toBe(400);
  const statuses = [];
  for (let sent = 0; sent < 21; sent++) statuses.push((await register({ redirect_uris: uris }, "10.78.0.1")).status);
  expect(statuses).toEqual([...Array(20).fill(201), 429]);
  expect(await rows()).toBe(before);
});

test("another site, a session of another account on the page, and a reader without a session cannot consent", async () => {
  const { query } = await newHost();
  const body = { request: packed(query), key };
  for (const headers of [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example.com" },
    { "dashboard-account": "00000000-0000-4000-8000-000000000000" },
  ]) {
    expect((await signedIn.browser.send("POST", "/connect", { body, headers })).status).toBe(400);
  }
  expect((await service.newBrowser().send("POST", "/connect", { body })).status).toBe(401);
});

test("a code of an account that was deleted meanwhile fetches nothing", async () => {
  const other = await service.signedIn();
  const { verifier, query } = await newHost();
  const { url } = await other.browser.json<{ url: string }>("POST", "/connect", { request: packed(query), key });
  await other.browser.json("DELETE", "/account", { email: other.email });
  const code = new URL(url).searchParams.get("code") ?? "";
  const { client_id, redirect_uri } = query;
  const answer = await exchange({ client_id, redirect_uri, code, code_verifier: verifier });
  expect(answer).toMatchObject({ status: 400, error: "invalid_grant" });
});

test("only /v1/mcp names the metadata, and every address in them is the service's own", async () => {
  const challenge = async (path: string) => (await send(path)).headers.get("www-authenticate");
  expect(await challenge("/v1/me")).toBe('Bearer realm="video-to-json"');
  const [, metadata = ""] = /resource_metadata="(.+)"$/.exec((await challenge("/v1/mcp")) ?? "") ?? [];
  const resource = (await (await fetch(metadata)).json()) as { resource: string; authorization_servers: [string] };
  expect(resource).toMatchObject({ resource: `${service.url}/v1/mcp`, authorization_servers: [service.url] });
  const server = await (await send("/.well-known/oauth-authorization-server")).json();
  expect(server).toMatchObject({
    issuer: service.url,
    token_endpoint: `${service.url}/token`,
    code_challenge_methods_supported: ["S256"],
  });
  const sent = await send("/authorize?state=1e5%26x&client_id=a");
  const [, request = ""] = /^dashboard\/connect\?request=([\w-]+)$/.exec(sent.headers.get("location") ?? "") ?? [];
  expect(Buffer.from(request, "base64url").toString()).toBe("state=1e5%26x&client_id=a");
});
