import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { type Browser, startDashboard } from "../dashboard.harness.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard({ publicUrl: "https://video.example.com/" });
});
afterAll(() => site[Symbol.asyncDispose]());

const newAddress = () => `${randomUUID()}@example.com`;

/** Asks for codes, each from another network. Returns the statuses. */
async function askFromEverywhere(email: string, times: number): Promise<number[]> {
  const asked = Array.from({ length: times }, () => site.newBrowser().askCode(email));
  return (await Promise.all(asked)).map(({ status }) => status);
}

/** The members of the link in the next message to an address. */
async function takeLink(email: string): Promise<{ code: string; link: string }> {
  await expect.poll(() => site.mailbox.messages.some(({ to }) => to === email)).toBe(true);
  const source = site.mailbox.messages.find(({ to }) => to === email)?.source ?? "";
  const text = source.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const [, address = ""] = /(https:\/\/video\.example\.com\/dashboard\/sign-in#\S+)/.exec(text) ?? [];
  const members = Object.fromEntries(new URLSearchParams(new URL(address).hash.slice(1)));
  expect(members.email).toBe(email);
  return { code: members.code ?? "", link: members.link ?? "" };
}

const success = async (answer: Promise<Response>) => (await answer).json();

test("a code works in the browser that asked for it and in no other", async () => {
  const email = newAddress();
  const browser = site.newBrowser();
  await browser.askCode(email);
  const code = await site.mailbox.takeCode(email);
  const stranger = site.newBrowser();
  await stranger.askCode(email);
  for (const other of [stranger, site.newBrowser()]) {
    expect(await failure(other.enterCode(email, code))).toMatchObject({ status: 400, code: "invalid_request" });
    expect(other.cookie()).toBeUndefined();
  }
  expect((await browser.enterCode(email, code)).status).toBe(200);
});

test("others neither replace a code, nor use up its attempts, nor keep its owner from a new one", async () => {
  const email = newAddress();
  const browser = site.newBrowser();
  await browser.askCode(email);
  const code = await site.mailbox.takeCode(email);
  expect(await askFromEverywhere(email, 12)).toEqual(Array(12).fill(200));
  for (let time = 1; time <= 5; time++) {
    const stranger = site.newBrowser();
    await stranger.askCode(email);
    for (let attempt = 1; attempt <= 4; attempt++) await stranger.enterCode(email, "BBBB-BBBB");
  }
  expect((await browser.askCode(newAddress())).status).toBe(200);
  expect((await browser.enterCode(email, code)).status).toBe(200);
});

test("a signature is what makes a nonce: a browser with another one cannot use a code", async () => {
  const email = newAddress();
  const browser = site.newBrowser();
  await browser.askCode(email);
  const code = await site.mailbox.takeCode(email);
  const token = browser.cookies.get("__Host-v2j.browser") ?? "";
  const [nonce = "", signature = ""] = token.split(".");
  expect(signature).not.toBe("");
  const forgeries: [string, string][] = [
    ["__Host-v2j.browser", nonce],
    ["__Host-v2j.browser", `${nonce}.`],
    ["__Host-v2j.browser", `${nonce}.AAAA`],
    // Another host of the domain can set a cookie without the prefix.
    ["v2j.browser", token],
  ];
  for (const [name, forged] of forgeries) {
    const thief = site.newBrowser();
    thief.setCookie(`${name}=${forged}`);
    expect((await thief.enterCode(email, code, { link: forged === token ? "" : forged, confirmed: true })).status).toBe(
      400,
    );
  }
  expect((await browser.enterCode(email, code)).status).toBe(200);
});

test("a link signs in the browser that asked; any other waits for a click, and costs the code no attempt", async () => {
  const email = newAddress();
  const browser = site.newBrowser();
  await browser.askCode(email);
  const { code, link } = await takeLink(email);
  expect(await success(browser.enterCode(email, code, { link }))).toEqual({ success: true });

  const { browser: victim, email: victimsEmail } = await site.signedIn();
  const attackers = newAddress();
  await site.newBrowser().askCode(attackers);
  const sent = await takeLink(attackers);
  for (const withLink of [sent.link, ""]) {
    for (let time = 1; time <= 4; time++)
      expect(await success(victim.enterCode(attackers, sent.code, { link: withLink }))).toEqual({ success: false });
  }
  expect((await victim.get("/session")).email).toBe(victimsEmail);
  expect(await success(victim.enterCode(attackers, sent.code, { link: sent.link, confirmed: true }))).toEqual({
    success: true,
  });
  expect((await victim.get("/session")).email).toBe(attackers);
});

test("a link with a wrong code opens in the browser that holds a code without using up its attempts", async () => {
  const email = newAddress();
  const browser = site.newBrowser();
  await browser.askCode(email);
  const code = await site.mailbox.takeCode(email);
  for (let time = 1; time <= 4; time++)
    expect(await success(browser.enterCode(email, "BBBB-BBBB", { link: "" }))).toEqual({ success: false });
  expect((await browser.enterCode(email, code)).status).toBe(200);
});

test("an address gets five codes per network and fifty a day, and a browser that has signed in before has its own limit", async () => {
  const { browser: known, email } = await site.signedIn();
  const neighbour = site.newBrowser();
  const statuses: number[] = [];
  for (let time = 1; time <= 6; time++) statuses.push((await neighbour.askCode(email)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  // The sign-in and the neighbour took six.
  const strangers = await askFromEverywhere(email, 50);
  expect(strangers.filter((status) => status === 200)).toHaveLength(44);
  expect(await failure(site.newBrowser().askCode(email))).toMatchObject({ status: 429, code: "rate_limited" });
  expect((await site.newBrowser().askCode(newAddress())).status).toBe(200);

  site.mailbox.messages.length = 0;
  expect((await known.askCode(email)).status).toBe(200);
  await site.mailbox.takeCode(email);
  // A thief of the mark of another address has no quota.
  const thief = site.newBrowser();
  thief.setCookie(`__Host-v2j.known=${known.cookies.get("__Host-v2j.known")}`);
  expect((await thief.askCode(email)).status).toBe(429);
});

test("one network cannot use up the codes of an address: it gets fifteen of the fifty a day", async () => {
  const email = newAddress();
  const addresses = Array.from({ length: 20 }, (_, index) => `2001:db8:9:${((index % 4) * 256).toString(16)}::1`);
  const answers = await Promise.all(addresses.map((ip) => askFrom(site.newBrowser(), ip, email)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
  expect((await site.newBrowser().askCode(email)).status).toBe(200);
});

test("a browser tries thirty codes a day, for any addresses", async () => {
  const browser = site.newBrowser();
  await browser.askCode(newAddress());
  const tries = await Promise.all(Array.from({ length: 33 }, () => browser.enterCode(newAddress(), "BBBB-BBBB")));
  expect(tries.filter(({ status }) => status === 400)).toHaveLength(30);
  const refused = tries.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(3);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(3600);
});

const askFrom = (browser: Browser, ip: string, email = newAddress()) =>
  browser.send("POST", "/auth/email-otp/send-verification-otp", {
    body: { email, type: "sign-in" },
    headers: { "x-forwarded-for": ip },
  });

test.each([
  ["the addresses of a /24", 23, 20, (index: number) => `203.0.113.${index + 1}`],
  ["the /64 of a /56", 23, 20, (index: number) => `2001:db8:7:${index.toString(16)}::1`],
  ["the /56 of a /48", 83, 80, (index: number) => `2001:db8:8:${(index * 256).toString(16)}::1`],
])("%s are one network, which gets so many codes", async (_what, asked, allowed, address) => {
  const browser = site.newBrowser();
  const answers = await Promise.all(Array.from({ length: asked }, (_, index) => askFrom(browser, address(index))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(allowed);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(asked - allowed);
});
