import { openApiMetrics, openLog } from "@video-to-json/telemetry";
import { expect, test } from "vitest";
import { openMailer } from "./open-mailer.ts";

const message = { to: "ann@example.com", subject: "s", text: "t", code: "123456" };

/** A log that is read line by line. */
function readLog() {
  const lines: object[] = [];
  const log = openLog(openApiMetrics(), { level: "silent", name: "test" });
  const keep = (entry: object) => void lines.push(entry);
  return { lines, log: Object.assign(Object.create(log), { warn: keep, error: keep }) as typeof log };
}

test("a mail server that cannot be reached delays nobody, and the log has neither address nor code", async () => {
  const { lines, log } = readLog();
  const mailer = openMailer({ log }, { smtpUrl: "smtp://127.0.0.1:1", from: "a@example.com" });
  mailer.send(message);
  expect(lines).toEqual([]);
  await mailer.close();
  expect(lines).toEqual([{ code: expect.any(String), responseCode: undefined }]);
  expect(JSON.stringify(lines)).not.toMatch(/ann|123456/);
});

test("without a mail server the code is in the log, and the page can say so", async () => {
  const { lines, log } = readLog();
  const mailer = openMailer({ log }, { smtpUrl: undefined, from: "a@example.com" });
  expect(mailer.kind).toBe("log");
  mailer.send(message);
  expect(lines).toEqual([{ email: "ann@example.com", code: "123456" }]);
  await mailer.close();
});
