import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { type Browser, startDashboard } from "../dashboard.harness.ts";
import { makePasskey } from "./authenticator.harness.ts";

const [origin, host] = ["https://video.example.com", "video.example.com"];
const headers = { "x-forwarded-host": host, "x-forwarded-proto": "https", origin };

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard({ publicUrl: `${origin}/` });
});
afterAll(() => site[Symbol.asyncDispose]());

type Passkey = ReturnType<typeof makePasskey>;
type Options = { challenge: string };
type Flaws = Parameters<Passkey["get"]>[1];

const send = (browser: Browser, method: string, path: string, body?: unknown) =>
  browser.send(method, path, { headers, ...(body !== undefined && { body }) });
const read = async (browser: Browser, path: string): Promise<ReturnType<typeof JSON.parse>> =>
  (await send(browser, "GET", path)).json();

const newOptions = async (browser: Browser): Promise<Options> =>
  (await send(browser, "POST", "/passkeys/options", {})).json() as Promise<Options>;

async function addPasskey(browser: Browser, flaws: Flaws = {}, name = "Laptop") {
  const passkey = makePasskey({ origin, host });
  const options = await newOptions(browser);
  const added = await send(browser, "POST", "/passkeys", { name, credential: passkey.create(options, flaws) });
  return { passkey, options, added };
}

async function challenge(browser: Browser): Promise<Options> {
  const answer = await send(browser, "POST", "/auth/passkey/challenge", {});
  expect(answer.status).toBe(200);
  return answer.json() as Promise<Options>;
}

async function signIn(passkey: Passkey, flaws: Flaws = {}, browser = site.newBrowser()) {
  const credential = passkey.get(await challenge(browser), flaws);
  return { browser, credential, answer: await send(browser, "POST", "/auth/passkey/sign-in", { credential }) };
}

test("a passkey signs in to its account from another browser, by host-only cookies, and counts as a fresh sign-in", async () => {
  const { browser, email, accountId } = await site.signedIn();
  const { passkey, options, added } = await addPasskey(browser);
  expect(added.status).toBe(201);
  expect(options).toMatchObject({
    rp: { id: host },
    user: { name: email },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const { passkeys } = await read(browser, "/passkeys");
  expect(passkeys).toEqual([{ id: expect.any(String), name: "Laptop", created_at: expect.any(String) }]);

  const before = site.mailbox.messages.length;
  const other = await signIn(passkey);
  expect([other.answer.status, await other.answer.json()]).toEqual([200, { success: true }]);
  for (const cookie of other.answer.headers.getSetCookie())
    expect(cookie).toMatch(/^__Host-v2j\.\w+=.*; Path=\/;.*; Secure$/);
  const session = await read(other.browser, "/session");
  expect(session).toMatchObject({ email, account_id: accountId });
  expect(session.fresh_seconds).toBeGreaterThan(500);
  expect(site.mailbox.messages).toHaveLength(before);
});

test.each<[string, Flaws]>([
  ["another origin", { origin: "https://evil.example" }],
  ["another port", { origin: `${origin}:8443` }],
  ["another host", { host: "evil.example" }],
  ["a device that checked nobody", { isUnverified: true }],
  ["a challenge of the attacker", { challenge: Buffer.from("own").toString("base64url") }],
])("a passkey with %s neither signs in nor is added", async (_what, flaws) => {
  const { browser } = await site.signedIn();
  const { added } = await addPasskey(browser, flaws);
  expect(await failure(added)).toMatchObject({ status: 400, code: "invalid_request" });
  expect((await read(browser, "/passkeys")).passkeys).toEqual([]);
  const { passkey } = await addPasskey(browser);
  const refused = await signIn(passkey, flaws);
  expect(await failure(refused.answer)).toMatchObject({ status: 400, code: "invalid_request" });
  expect((await send(refused.browser, "GET", "/session")).status).toBe(401);
  expect((await signIn(passkey)).answer.status).toBe(200);
});

test("a signed challenge works once, and only in the browser that got the challenge", async () => {
  const { browser } = await site.signedIn();
  const { passkey } = await addPasskey(browser);
  const asking = site.newBrowser();
  const credential = passkey.get(await challenge(asking));
  const thief = site.newBrowser();
  await challenge(thief);
  const enter = (from: Browser) => send(from, "POST", "/auth/passkey/sign-in", { credential });
  expect([(await enter(thief)).status, (await enter(site.newBrowser())).status]).toEqual([400, 400]);
  expect([(await enter(asking)).status, (await enter(asking)).status]).toEqual([200, 400]);
});

test("a challenge of a sign-in adds no passkey, and one of another account neither", async () => {
  const { browser } = await site.signedIn();
  const { browser: stranger } = await site.signedIn();
  const passkey = makePasskey({ origin, host });
  const add = async (options: Options) =>
    (await send(browser, "POST", "/passkeys", { name: "x", credential: passkey.create(options) })).status;
  expect(await add(await challenge(browser))).toBe(400);
  expect(await add(await newOptions(stranger))).toBe(400);
  const { passkey: own } = await addPasskey(stranger);
  const copied = makePasskey({ origin, host, id: own.id }).create(await newOptions(browser));
  expect((await send(browser, "POST", "/passkeys", { name: "x", credential: copied })).status).toBe(400);
  expect((await read(browser, "/passkeys")).passkeys).toEqual([]);
});

test("a removed passkey signs in no more, and no account sees or removes one of another", async () => {
  const { browser } = await site.signedIn();
  const { browser: stranger } = await site.signedIn();
  const { passkey } = await addPasskey(browser);
  const { passkey: kept } = await addPasskey(browser, {}, "Phone");
  const { passkeys } = await read(browser, "/passkeys");
  expect(passkeys.map(({ name }: { name: string }) => name)).toEqual(["Phone", "Laptop"]);
  const path = `/passkeys/${passkeys[1].id}`;
  expect((await read(stranger, "/passkeys")).passkeys).toEqual([]);
  expect((await send(stranger, "DELETE", path)).status).toBe(404);
  expect((await send(browser, "DELETE", path)).status).toBe(204);
  expect((await failure((await signIn(passkey)).answer)).error.message).toMatch(/was removed/);
  expect((await signIn(kept)).answer.status).toBe(200);
});

test("a sign-in older than ten minutes adds and removes no passkey, and one by passkey makes keys and passkeys again", async () => {
  const { browser, accountId } = await site.signedIn();
  const { passkey } = await addPasskey(browser);
  await site.db.execute(`update dashboard_sessions set created_at = now() - interval '11 minutes'
    where user_id in (select id from dashboard_users where account_id = '${accountId}')`);
  const key = { name: "k", scope: "read", monthly_limit_minutes: null, ends_at: null };
  const [{ id }] = (await read(browser, "/passkeys")).passkeys;
  for (const [method, path, body] of [
    ["POST", "/passkeys/options", {}],
    ["POST", "/passkeys", { name: "x", credential: passkey.create({ challenge: "" }) }],
    ["DELETE", `/passkeys/${id}`, undefined],
    ["POST", "/keys", key],
  ] as const)
    expect((await failure(send(browser, method, path, body))).error.message, path).toMatch(/Sign in again/);
  expect((await signIn(passkey, {}, browser)).answer.status).toBe(200);
  expect((await read(browser, "/sessions")).sessions).toHaveLength(1);
  expect((await addPasskey(browser)).added.status).toBe(201);
  expect((await send(browser, "POST", "/keys", key)).status).toBe(201);
});

test("passkeys go with their account, and a new account of the address has none", async () => {
  const { browser, email } = await site.signedIn();
  const { passkey } = await addPasskey(browser);
  expect((await send(browser, "DELETE", "/account")).status).toBe(204);
  expect((await signIn(passkey)).answer.status).toBe(400);
  const { browser: again } = await site.signedIn(email);
  expect((await read(again, "/passkeys")).passkeys).toEqual([]);
});

test("a browser gets thirty challenges a day, a network twenty in ten minutes, and codes have counts of their own", async () => {
  const browser = site.newBrowser();
  const ask = async (from: Browser, ip: string) =>
    (await from.send("POST", "/auth/passkey/challenge", { body: {}, headers: { ...headers, "x-forwarded-for": ip } }))
      .status;
  const statuses: number[] = [];
  for (let time = 1; time <= 32; time++) statuses.push(await ask(browser, `198.51.${time}.1`));
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  const network = await Promise.all(Array.from({ length: 23 }, () => ask(site.newBrowser(), "203.0.113.9")));
  expect(network.filter((status) => status === 429)).toHaveLength(3);
  const coded = await site.newBrowser().send("POST", "/auth/email-otp/send-verification-otp", {
    body: { email: "someone@example.com", type: "sign-in" },
    headers: { ...headers, "x-forwarded-for": "203.0.113.9" },
  });
  expect(coded.status).toBe(200);
});

test("an account has twenty passkeys at most", async () => {
  const { browser } = await site.signedIn();
  for (let count = 1; count <= 20; count++) expect((await addPasskey(browser)).added.status).toBe(201);
  expect(await failure(send(browser, "POST", "/passkeys/options", {}))).toMatchObject({ status: 400 });
});

test.each<[string, string | undefined, Record<string, string>, boolean]>([
  ["the host of PUBLIC_URL", "https://video.example.com", headers, true],
  ["another host than that of PUBLIC_URL", "https://video.example.com", { "x-forwarded-host": "10.0.0.7" }, false],
  ["an address without a name", "http://127.0.0.1:1", {}, false],
  ["localhost without PUBLIC_URL", undefined, { "x-forwarded-host": "localhost:8080" }, true],
])("the sign-in page offers passkeys where they work: %s", async (_where, publicUrl, given, isOffered) => {
  await using other = await startDashboard({ publicUrl, withoutMail: true });
  const settings = await other.newBrowser().send("GET", "/sign-in", { headers: given });
  expect(await settings.json()).toMatchObject({ passkeys: isOffered });
});
