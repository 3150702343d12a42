import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Limits } from "@video-to-json/contract";
import type { Logger } from "@video-to-json/runtime/telemetry";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { openDashboard } from "./open-dashboard.ts";
import type { GrantsPerDay } from "./sign-in/open-sign-in.ts";

/** A browser, signed in or not. */
export type Browser = Awaited<ReturnType<typeof startDashboard>>["newBrowser"] extends () => infer Made ? Made : never;

/** A response as a test sees it. */
type Json = ReturnType<typeof JSON.parse>;

type Options = {
  limits?: Partial<Limits>;
  pageDirectory?: string;
  log?: Logger;
  secret?: string;
  withoutMail?: boolean;
  publicUrl?: string | undefined;
  grantsPerDay?: GrantsPerDay;
};

const many = { service: 100_000, domain: 100_000, network: 100_000 };
const sessionCookie = /v2j\.session_token$/;

/** Starts an API with the dashboard and a mail server, without a worker. */
export async function startDashboard({
  limits = {},
  pageDirectory,
  log,
  secret,
  withoutMail,
  publicUrl,
  grantsPerDay = many,
}: Options = {}) {
  const mailbox = await startMailbox();
  const parts: { close(): Promise<void> }[] = [];
  const api = await startTestApi({ extractionsPerMinute: 100_000, readsPerMinute: 100_000, ...limits }, 30, 1, {
    ...(log ? { log } : {}),
    publicUrl,
    dashboard: (deps) => {
      const opened = openDashboard(deps, {
        smtpUrl: withoutMail ? undefined : mailbox.url,
        secret,
        freeSeconds: 1800,
        grantsPerDay,
        publicUrl,
        ...(pageDirectory ? { pageDirectory } : {}),
      });
      parts.push(opened);
      return opened;
    },
  });
  let networks = 0;

  /** A browser on a network of its own, which sends what browsers send. */
  function newBrowser() {
    const cookies = new Map<string, string>();
    const network = `10.${Math.floor(++networks / 250)}.${networks % 250}.1`;
    const send = async (
      method: string,
      path: string,
      { body, headers = {} }: { body?: unknown; headers?: Headers } = {},
    ) => {
      const isText = typeof body === "string" || body instanceof FormData;
      const response = await fetch(`${api.url}/dashboard/api${path}`, {
        method,
        redirect: "manual",
        headers: {
          "x-forwarded-for": network,
          ...(method === "GET" ? {} : { origin: api.url, "sec-fetch-site": "same-origin" }),
          ...(cookies.size === 0 ? {} : { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") }),
          ...(body === undefined || isText ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (/max-age=0/i.test(set)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    };
    const json = async <T = Json>(method: string, path: string, body?: unknown): Promise<T> => {
      const response = await send(method, path, body === undefined ? {} : { body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return (text === "" ? undefined : JSON.parse(text)) as T;
    };
    return {
      send,
      json,
      get: <T = Json>(path: string) => json<T>("GET", path),
      cookies,
      /** The cookie of the session. */
      cookie: () => [...cookies].find(([name]) => sessionCookie.test(name))?.join("="),
      setCookie: (pair = "") => {
        const [, name = "", value = ""] = /^([^=]+)=(.*)/.exec(pair) ?? [];
        if (name) cookies.set(name, value);
      },
      askCode: (email: string) =>
        send("POST", "/auth/email-otp/send-verification-otp", { body: { email, type: "sign-in" } }),
      enterCode: (email: string, otp: string, more: { link?: string; confirmed?: boolean } = {}) =>
        send("POST", "/auth/sign-in/email-otp", { body: { email, otp, ...more } }),
    };
  }
  type Headers = Record<string, string>;

  return {
    ...api,
    mailbox,
    newBrowser,
    /** A browser that is signed in to a new account, and the account. */
    async signedIn(email = `${randomUUID()}@example.com`) {
      const browser = newBrowser();
      const asked = await browser.askCode(email);
      if (!asked.ok) throw new Error(await asked.text());
      const entered = await browser.enterCode(email, await mailbox.takeCode(email));
      if (!entered.ok) throw new Error(await entered.text());
      const { account_id: accountId } = await browser.get<{ account_id: string }>("/session");
      return { browser, email, accountId };
    },
    async [Symbol.asyncDispose]() {
      for (const part of parts) await part.close();
      await api[Symbol.asyncDispose]();
      await mailbox.close();
    },
  };
}

/** A message as it arrived. */
type Arrived = { to: string; source: string };

/** Starts a real mail server that keeps what it gets. */
async function startMailbox() {
  const messages: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    async onData(stream, session, done) {
      const source = await text(stream);
      for (const { address } of session.envelope.rcptTo) messages.push({ to: address, source });
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    messages,
    /** Waits for a message to an address, takes it out and returns its code. */
    async takeCode(address: string): Promise<string> {
      const at = await vi.waitFor(
        () => {
          const index = messages.findIndex(({ to }) => to === address);
          if (index < 0) throw new Error(`no message to ${address}`);
          return index;
        },
        { timeout: 45_000 },
      );
      const [message] = messages.splice(at, 1);
      return /^([A-Z]{4}-[A-Z]{4}) is your code/m.exec(message?.source ?? "")?.[1] ?? "no code";
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
