import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { startService } from "@video-to-json/stack/service";
import { mainOf } from "@video-to-json/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askForKey, mcpClients } from "../mcp-clients.ts";
import { findBrowser, openBrowser } from "./open-browser.ts";
import { startMailbox } from "./start-mailbox.ts";
import { newVisitor } from "./visitor.ts";

describe.runIf(findBrowser())("a host that has only the URL", () => {
  const opened = new AsyncDisposableStack();
  let baseUrl: string;
  let start: () => ReturnType<typeof newVisitor>;
  beforeAll(async () => {
    const [mailbox, browser] = await Promise.all([startMailbox(), openBrowser()]);
    opened.defer(() => mailbox.close());
    opened.defer(() => browser.close());
    const env = { SMTP_URL: `${mailbox.url}?from=no-reply@example.com` };
    const service = opened.use(await startService({ workers: 0, env }));
    baseUrl = service.baseUrl;
    start = async () => {
      const visitor = await newVisitor({ browser, mailbox, baseUrl });
      const enter = async () => {
        await visitor.page.getByLabel("E-mail").fill(visitor.email);
        await visitor.page.getByRole("button", { name: "Continue" }).click();
        await visitor.page.getByLabel("Code").fill(await mailbox.takeCode(visitor.email));
      };
      return { ...visitor, signIn: enter };
    };
  });
  afterAll(() => opened.disposeAsync());

  test.each(mcpClients)(
    "%s connects after its user signed in and agreed, with a key that the user can revoke",
    async (kind) => {
      const { page, signIn, open, faults } = await start();
      await using host = await startHost();
      const connect = await askForKey(kind, { baseUrl, authProvider: host.provider });
      await page.goto(await host.authorization);
      await signIn();
      await page.getByText("“A desktop host” asks for a key").waitFor();
      await page.getByText("a program on this computer").waitFor();
      await page.getByLabel("Minutes a month").fill("5");
      await page.getByRole("button", { name: "Allow" }).click();
      const client = await connect(await host.answer);
      expect((await client.tools()).map(({ name }) => name)).toEqual(["extract", "recent_extractions"]);
      await client.close();

      await page.waitForURL(`${host.address}/**`);
      await open("/keys");
      const row = page.getByRole("row").filter({ hasText: "A desktop host" });
      await row.getByText("of 5").waitFor();
      await row.getByRole("button", { name: /Revoke/ }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /Revoke/ })
        .click();
      await row.waitFor({ state: "detached" });
      const headers = { authorization: `Bearer ${host.provider.tokens()?.access_token}` };
      await expect.poll(async () => (await fetch(`${baseUrl}/v1/me`, { headers })).status).toBe(401);
      expect(faults.filter((fault) => !fault.includes(host.address))).toEqual([]);
    },
  );

  test.each(["on the same computer", "elsewhere"])("the command line signs in with a browser %s", async (where) => {
    const { page, email, signIn } = await start();
    const home = await mkdtemp(join(tmpdir(), "v2j-login-"));
    const command = `'${process.execPath}' '${mainOf("cli")}' login --url ${baseUrl}`;
    const login = spawn("script", ["-qec", `stty cols 1000; ${command}`, "/dev/null"], {
      env: { PATH: "/usr/bin:/bin", TERM: "xterm", SHELL: "/bin/sh", HOME: home },
    });
    let said = "";
    login.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const ended = once(login, "close");
    await expect.poll(() => said).toContain("(not shown): ");
    const back = Promise.withResolvers<string>();
    if (where === "elsewhere") {
      await page.route(/^http:\/\/127\.0\.0\.1:\d+\/callback/, (route) => {
        back.resolve(route.request().url());
        return route.abort();
      });
    }
    await page.goto(/http\S+\/authorize\?\S+/.exec(said)?.[0] ?? "");
    await signIn();
    await page.getByRole("button", { name: "Allow" }).click();
    if (where === "elsewhere") login.stdin.write(`${await back.promise}\r`);
    expect(await ended).toEqual([0, null]);
    expect(said).toContain(`as ${email}`);
    await rm(home, { recursive: true });
  });

  test("a user who refuses sends the host away without a code", async () => {
    const { page, signIn } = await start();
    await using host = await startHost();
    await askForKey("SDK v1", { baseUrl, authProvider: host.provider });
    await page.goto(await host.authorization);
    await signIn();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(Object.fromEntries(await host.answer)).toEqual({ error: "access_denied", iss: baseUrl });
  });
});

/** A desktop host: it listens on this machine for the browser to come back, and keeps what it gets in memory. */
async function startHost() {
  const [authorization, answered] = [Promise.withResolvers<string>(), Promise.withResolvers<URLSearchParams>()];
  const server = createServer((request, response) => {
    const answer = new URL(request.url ?? "", "http://localhost").searchParams;
    if (answer.has("iss")) answered.resolve(answer);
    response.end("<title>back</title>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kept: { client?: never; tokens?: never; verifier?: string; discovery?: never } = {};
  const provider = {
    redirectUrl: `${address}/callback`,
    clientMetadata: { client_name: "A desktop host", redirect_uris: [`${address}/callback`] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => Object.assign(kept, { client }) && undefined,
    tokens: (): { access_token: string; token_type: string } | undefined => kept.tokens,
    saveTokens: (tokens) => Object.assign(kept, { tokens }) && undefined,
    redirectToAuthorization: (url) => authorization.resolve(url.href),
    saveCodeVerifier: (verifier) => Object.assign(kept, { verifier }) && undefined,
    codeVerifier: () => kept.verifier ?? "",
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => Object.assign(kept, { discovery }) && undefined,
  } satisfies OAuthClientProvider;
  return {
    address,
    provider,
    authorization: authorization.promise,
    answer: answered.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
