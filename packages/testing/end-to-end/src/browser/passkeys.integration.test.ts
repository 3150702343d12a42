import { startService } from "@video-to-json/stack/service";
import { serveLocally } from "@video-to-json/testing/running";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser, openBrowser } from "./open-browser.ts";
import { startMailbox } from "./start-mailbox.ts";
import { newVisitor } from "./visitor.ts";

describe.runIf(findBrowser())("passkeys in a browser", () => {
  const opened = new AsyncDisposableStack();
  let start: () => ReturnType<typeof newVisitor>;
  beforeAll(async () => {
    const [mailbox, browser] = await Promise.all([startMailbox(), openBrowser()]);
    opened.defer(() => mailbox.close());
    opened.defer(() => browser.close());
    // An empty list: without an address of its own, the service makes passkeys for localhost.
    const env = { PUBLIC_URL: ",", SMTP_URL: `${mailbox.url}?from=no-reply@example.com` };
    const service = opened.use(await startService({ workers: 0, env }));
    const baseUrl = service.baseUrl.replace("127.0.0.1", "localhost");
    start = () => newVisitor({ browser, mailbox, baseUrl });
  });
  afterAll(() => opened.disposeAsync());

  test("a passkey is made, signs in without a code, and signs in no more when it is removed or shown to another site", async () => {
    const { page, email, open, signIn, faults } = await start();
    await addDevice(page);
    await signIn();
    await open("/settings");
    await page.getByLabel("Name of the passkey").fill("My laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page
      .getByRole("listitem")
      .filter({ hasText: "My laptop" })
      .getByText(/^Added/)
      .waitFor();
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("This device has a passkey for this account already").waitFor();

    const signOut = async () => {
      await page.getByRole("button", { name: "Sign out everywhere" }).click();
      await page.getByLabel("E-mail").waitFor();
    };
    const signInAgain = () => page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await signOut();
    await signInAgain();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await open("/settings");
    await page.getByText(email, { exact: true }).first().waitFor();
    expect(faults).toEqual([]);

    // Another site at this host passes a challenge of ours on, and what the passkey signed back to us.
    await signOut();
    const home = page.url();
    await using evil = await serveLocally((_request, response) => response.end("<title>evil</title>"));
    const challenge = await page.evaluate(ask, ["challenge", {}] as const);
    await page.goto(evil.url.replace("127.0.0.1", "localhost"));
    const credential = await page.evaluate(async (options) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON();
    }, challenge.body);
    await page.goto(home);
    expect((await page.evaluate(ask, ["sign-in", { credential }] as const)).status).toBe(400);

    await signInAgain();
    await page.getByRole("heading", { name: "Welcome" }).waitFor();
    await open("/settings");
    await page.getByRole("button", { name: "Remove the passkey My laptop" }).click();
    await page.getByRole("listitem").filter({ hasText: "My laptop" }).waitFor({ state: "detached" });
    await signOut();
    await signInAgain();
    await page.getByText(/The passkey is unknown, was removed/).waitFor();
  });
});

/** Adds a device to the page, which keeps passkeys and whose holder always agrees. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const device = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
  await session.send("WebAuthn.addVirtualAuthenticator", { options: { ...device, isUserVerified: true } });
}

/** Sends a request of the sign-in with passkeys, in the page. */
async function ask([name, body]: readonly [string, object]) {
  const answer = await fetch(`/dashboard/api/auth/passkey/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}
