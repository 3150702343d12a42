import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openApiMetrics, openLog } from "@video-to-json/runtime/telemetry";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { expect, test } from "vitest";
import { openMailer } from "./open-mailer.ts";

const message = { to: "ann@example.com", subject: "s", text: "t", code: "123456" };

/** A log of which the test reads every line. */
function readLog() {
  const lines: object[] = [];
  const log = openLog(openApiMetrics(), { level: "silent", name: "test" });
  const keep = (entry: object) => void lines.push(entry);
  return { lines, log: Object.assign(Object.create(log), { warn: keep, error: keep }) as typeof log };
}

/** Starts a mail server, without TLS if the options do not say otherwise. */
async function listen(options: SMTPServerOptions) {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    ...options,
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.server.address() as AddressInfo;
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

test("an unreachable mail server delays no request, and the log contains neither address nor code", async () => {
  const { lines, log } = readLog();
  const mailer = openMailer({ log }, { smtpUrl: "smtp://127.0.0.1:1" });
  mailer.send(message);
  expect(lines).toEqual([]);
  await mailer.close();
  expect(lines).toEqual([{ code: "ESOCKET", responseCode: undefined, reason: "connect ECONNREFUSED 127.0.0.1:1" }]);
  expect(JSON.stringify(lines)).not.toMatch(/ann|123456/);
});

test("a server that refuses the reader is logged without the address", async () => {
  const { lines, log } = readLog();
  await using server = await listen({
    onRcptTo: ({ address }, _session, done) => done(new Error(`no ${address} here`)),
  });
  const mailer = openMailer({ log }, { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  mailer.send(message);
  await mailer.close();
  expect(lines).toEqual([{ code: "EENVELOPE", responseCode: 550, reason: undefined }]);
});

test("a password is sent only over TLS, unless the setting allows it", async () => {
  const { lines, log } = readLog();
  const passwords: (string | null | undefined)[] = [];
  await using server = await listen({
    onAuth: ({ password }, _session, done) => {
      passwords.push(password);
      done(null, { user: "v2j" });
    },
  });
  await using withTls = await listen({
    secure: true,
    onAuth: ({ password }, _session, done) => {
      passwords.push(`${password} over TLS`);
      done(null, { user: "v2j" });
    },
  });
  const smtpUrl = `smtp://v2j:secret@127.0.0.1:${server.port}`;
  const tlsUrl = `smtps://v2j:secret@127.0.0.1:${withTls.port}?tls.rejectUnauthorized=false`;
  for (const url of [smtpUrl, `${smtpUrl}?ignoreTLS=false`, `${smtpUrl}?ignoreTLS=true`, tlsUrl]) {
    const mailer = openMailer({ log }, { smtpUrl: url });
    mailer.send(message);
    await mailer.close();
  }
  const refused = expect.objectContaining({ code: "ETLS", reason: expect.stringContaining("STARTTLS") });
  expect(lines).toEqual([refused, refused]);
  expect(passwords).toEqual(["secret", "secret over TLS"]);
});

test("without a mail server the code is in the log, and the page can say so", async () => {
  const { lines, log } = readLog();
  const mailer = openMailer({ log }, { smtpUrl: undefined });
  expect(mailer.kind).toBe("log");
  mailer.send(message);
  expect(lines).toEqual([{ email: "ann@example.com", code: "123456" }]);
  await mailer.close();
});

test("an address that names several readers gets no message", async () => {
  const readers: string[] = [];
  await using server = await listen({
    onRcptTo: ({ address }, _session, done) => {
      readers.push(address);
      done();
    },
  });
  const mailer = openMailer(readLog(), { smtpUrl: `smtp://127.0.0.1:${server.port}` });
  mailer.send({ ...message, to: "ann@example.com, eve@example.com" });
  await mailer.close();
  expect(readers).not.toContain("ann@example.com");
  expect(readers).not.toContain("eve@example.com");
});
