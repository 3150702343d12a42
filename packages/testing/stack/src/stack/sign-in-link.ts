import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

type StackSite = { baseUrl: string; accountEmail: string };

const patienceMs = 10_000;
const pauseMs = 50;

/**
 * Requests a sign-in code for the account of a stack without mail, and reads the code from the log of its API. Returns
 * the address of the dashboard's page with the code. The address works once, within ten minutes. The page waits for a
 * click, because this program asked for the code and not the browser.
 * Returns undefined if there is no dashboard, or if it sends mail.
 */
export async function signInLink({ baseUrl, accountEmail }: StackSite, dataDir: string): Promise<string | undefined> {
  const settings = await fetch(`${baseUrl}/dashboard/api/sign-in`);
  if (!settings.ok || ((await settings.json()) as { mail: string }).mail !== "log") return undefined;
  const logs = logsIn(dataDir);
  const asked = await fetch(`${baseUrl}/dashboard/api/auth/email-otp/send-verification-otp`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: baseUrl },
    body: JSON.stringify({ email: accountEmail, type: "sign-in" }),
  });
  if (!asked.ok) return undefined;
  const link = /^v2j\.browser=([^;]*)/.exec(asked.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
  const endsAt = performance.now() + patienceMs;
  while (performance.now() < endsAt) {
    for (const log of logs) {
      const code = await codeIn(log, accountEmail);
      if (code) return `${baseUrl}/dashboard/sign-in#${new URLSearchParams({ email: accountEmail, code, link })}`;
    }
    await delay(pauseMs);
  }
  return undefined;
}

function logsIn(dataDir: string): { path: string; start: number }[] {
  const directory = join(dataDir, "logs");
  return readdirSync(directory)
    .filter((name) => /^api-\d+\.log$/.test(name))
    .map((name) => ({ path: join(directory, name), start: statSync(join(directory, name)).size }));
}

async function codeIn({ path, start }: { path: string; start: number }, email: string): Promise<string | undefined> {
  for await (const line of createInterface({ input: createReadStream(path, { start }) })) {
    if (!line.includes('"code"')) continue;
    const entry = JSON.parse(line) as { email?: string; code?: string };
    if (entry.email === email) return entry.code;
  }
  return undefined;
}
