import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { openApiMetrics, openLog } from "@video-to-json/runtime/telemetry";
import { SMTPServer } from "smtp-server";
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

test("an unreachable mail server delays no request, and the log contains neither address nor code", async () => {
  const { lines, log } = readLog();
  const mailer = openMailer({ log }, { smtpUrl: "smtp://127.0.0.1:1" });
  mailer.send(message);
  expect(lines).toEqual([]);
  await mailer.close();
  expect(lines).toEqual([{ code: expect.any(String), responseCode: undefined }]);
  expect(JSON.stringify(lines)).not.toMatch(/ann|123456/);
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
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      readers.push(address);
      done();
    },
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.server.address() as AddressInfo;
  const mailer = openMailer(readLog(), { smtpUrl: `smtp://127.0.0.1:${port}` });
  mailer.send({ ...message, to: "ann@example.com, eve@example.com" });
  await mailer.close();
  server.close();
  expect(readers).not.toContain("ann@example.com");
  expect(readers).not.toContain("eve@example.com");
});
