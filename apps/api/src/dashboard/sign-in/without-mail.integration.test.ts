import { openApiMetrics, openLog } from "@video-to-json/runtime/telemetry";
import { expect, onTestFinished, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { startDashboard } from "../dashboard.harness.ts";

test("without a mail server a code reaches the log at localhost only; at a public address nobody gets one, and the page knows", async () => {
  const lines: object[] = [];
  const log = openLog(openApiMetrics(), { level: "silent", name: "test" });
  const site = await startDashboard({
    withoutMail: true,
    limits: { freeSeconds: 600 },
    log: Object.assign(Object.create(log), { warn: (entry: object) => lines.push(entry) }),
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  const browser = site.newBrowser();
  const settings = async (headers: Record<string, string>) =>
    (await browser.send("GET", "/sign-in", { headers })).json();
  const ask = (headers: Record<string, string>) =>
    browser.send("POST", "/auth/email-otp/send-verification-otp", {
      body: { email: "ann@example.com", type: "sign-in" },
      headers,
    });
  const host = "video.example.com";
  const abroad = { "x-forwarded-host": host, "x-forwarded-proto": "https" };
  expect(await settings(abroad)).toEqual({ mail: "none", passkeys: false, free_seconds: 600 });
  const refused = await failure(ask({ ...abroad, origin: `https://${host}` }));
  expect([refused.status, refused.code]).toEqual([400, "invalid_request"]);
  expect(refused.error.message).toMatch(/sends no mail/);
  expect(lines).toEqual([]);

  // A stranger names this machine as the host.
  const stranger = { "x-forwarded-for": "93.184.216.34" };
  expect(await settings(stranger)).toEqual({ mail: "none", passkeys: false, free_seconds: 600 });
  expect((await ask(stranger)).status).toBe(400);
  expect(lines).toEqual([]);

  expect(await settings({})).toEqual({ mail: "log", passkeys: false, free_seconds: 600 });
  expect((await ask({})).status).toBe(200);
  expect(lines).toEqual([{ email: "ann@example.com", code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/) }]);
});
