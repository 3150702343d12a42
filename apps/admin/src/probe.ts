import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { problemCodes } from "@video-to-json/contract";
import { createKey, type Db, setRetention } from "@video-to-json/database";
import { grant, openAccount } from "@video-to-json/database/money";
import { readSettings } from "@video-to-json/runtime/settings";
import { openProberMetrics, type ProberMetrics, startOperatorListener } from "@video-to-json/runtime/telemetry";
import { Command } from "commander";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

type Options = { url: string; every: string; limit: string; keyFile?: string; once?: true };

/**
 * Returns `probe`: extracts from a small video, again and again, as a caller does, and counts the answers in metrics
 * (docs/operating.md, "Watch from outside").
 */
export function probeCommand({ env, print }: AdminIo): Command {
  return new Command("probe")
    .description("Extract from a small video each minute, as a caller does, and show in metrics whether that works.")
    .requiredOption("--url <address>", "the address of the service, as callers use it")
    .option("--every <seconds>", "the time between two extractions", "60")
    .option("--limit <seconds>", "how long an answer may take", "300")
    .option("--key-file <path>", "a file with an API key; otherwise an account of its own in DATABASE_URL gets minutes")
    .option("--once", "extract once, and fail if that fails")
    .action(async ({ url, every, limit, keyFile, once }: Options) => {
      const target = { url, limitSeconds: secondsOf(limit) };
      const everyMs = secondsOf(every) * 1000;
      const keyOf = keyFile === undefined ? ownKey(env) : async () => (await readFile(keyFile, "utf8")).trim();
      if (once) {
        const { result, words } = await probe(target, await keyOf());
        if (result !== "ok") throw new AdminError("provider_unavailable", `The extraction failed: ${words}`);
        return print("The extraction succeeded.");
      }
      const { HOST, METRICS_PORT } = readSettings(env, ["HOST", "METRICS_PORT"]);
      const metrics = openProberMetrics();
      await startOperatorListener(
        { metrics, dependencies: { check: async () => ({ failed: [], degraded: [] }) } },
        { host: HOST, port: METRICS_PORT },
      );
      for (;;) {
        const nextAt = performance.now() + everyMs;
        const words = await probeAndCount(metrics, target, keyOf);
        if (words) print(words);
        await pause(Math.max(0, nextAt - performance.now()));
      }
    });
}

type Target = { url: string; limitSeconds: number };
type Outcome = { result: "ok" | "unreachable" | "wrong_answer" | string; words: string };

async function probeAndCount(metrics: ProberMetrics, target: Target, keyOf: () => Promise<string>) {
  const startedAt = performance.now();
  const { result, words } = await keyOf()
    .then((key) => probe(target, key))
    .catch((error: Error): Outcome => ({ result: "no_key", words: error.message }));
  metrics.probes.inc({ result });
  metrics.probeDuration.observe((performance.now() - startedAt) / 1000);
  if (result === "ok") metrics.lastSuccess.setToCurrentTime();
  return result === "ok" ? undefined : `${result}: ${words}`;
}

/** Two seconds of blue and red, 160 × 90, H.264 in MP4, compressed by gzip. */
const video = gunzipSync(
  Buffer.from(
    [
      "H4sIAAAAAAACA31UXWgcVRS+O4k1aVK7oUtJNJgbDNVAspnZ3YQkMNo11O6DxfhXpAjjnZm7mWHnb+/cTXb70hQL7Utfior0IbaCf9iiqOCDKIX2IYgi",
      "RQQDLVSQkCJqfauCjufOzjabWDvMmXO+c8/PPfecuQghXOaNwA59FyEJCQ6UI4uG4gYFBaGO867vLyKEHHfRMtGWp2MDod5llELi3XxSW6224/3ono8E",
      "7y3OSAXkl3klztnx32iQF907z13zngM6EsMRavIQ+CB1Qr7pIeKmE1/Jck2bgIBdc3vtjwEtoxevxGDcMh3WWlm0TdpueRiwXyKe6VBhI+1xba8MQmbR",
      "jYO2b3PEbK4NmoyW28rorTEHN+XU9yHXHZAvhzw022w+FU37n6MQhR9BJeCllkXv02CPHVuv56YKd2tEfxTBdwas5lIm6o1+Qg8tAL/AOp88/afcJ7qS",
      "Ep+duzOjJ15JofutjblXz6x+/Pft28I9HZAwSLYiKKNzlpxz92tNQv0hj3vQ2jIcfJeQM1Bau17QS8ambXdTl07W5xOOUdusdCaxQD+d8P5kvlpzFq8P",
      "Qi5jW650wl+AtaNtRwJ6aR34g0APA+1qo93baM+29RZBbYa/ma/jKnC1ZnIxZ5Mujbl4httnCuaQkSBw2vvTZTcHt6vMKAxcx3XXJIClj3bcF0UfXjtw",
      "88v1tdLnb4z9iNce+e130WU8jg2fUayAyPLyzCTWCaUFWYaFUhYMJg7NHzg4XsDFw3NgaVIDFub8oOHQMsc5Wc6P5+RcDpQW58HsxMTS0lJWjLvvEC/r",
      "s4UJkSVrcdcBGz/gtu+Fs9ggOjFUBcNIq8oUNqnu+EZFVWblWRkTjziNkKpyPT8r15V8HrtUrbkWDms6SIqMg7ABzvDVmKkqWRm84INdu05NLY4JLhoj",
      "3gJVcwVsWMx3iSZ8MWfUcexQzeHp+rRpcFAZVVeVYQ/EPOp74KCMKQouk5BrQVixA2HRDFANNL9cDilXx3OYWww8QjWPHd+vEAuA1tIpOHRsg24qZOyx",
      "OIdhu4SLfdgep8whYAR63akx0tAM3w0IB2zAIcF9Z3sQAgwZETZlRlwaqtNY14IGyLYJRegaMUnAY0m3icgEc0GhrjxeovaCxXVI5gfU0xb8AFabygAc",
      "KrQBsdXcpJyIGtxC6iQODepRo8bVgozj5OJEGQ0t8GaGdqdadUpg1WBl7MKPTEVVAMAtK+OqqEWVs2BTDUTcmJO6OjUDQshpoBawHUCPYCKghZCLVKH/",
      "oplI3OMT9NRxJL31z4mhS+/2DR58Z+CG9skPX4yMvH79vXX0M95hf3UtVPd9fWF5eL/03N7gPLjsLZ7tHjOKtzLnNiSpEw+tPhqdRM9fEj9ncSV9Mv1M",
      "9Nfl6uPx/fQZ6lkWwnfHxdWRWunfd+pY9MD7CXhKgA8S4LVAD4CLpWPRH0+sPpvAb7fCX5twvgkHdgH8pSdzQ/z9xbMDNycl6WruzXSEutZE7OLK8Okr",
      "fdHOUjPR6KG3h+5sYdQVINnC6IUzbeCbGPwLxcPwfKYHAAA=",
    ].join(""),
    "base64",
  ),
);
const known = new Set<string>(problemCodes);

/** Sends one request as a caller does. Never rejects. */
async function probe({ url, limitSeconds }: Target, key: string): Promise<Outcome> {
  const form = new FormData();
  form.set("schema", '{"first_colour":"string"}');
  form.set("video", new Blob([new Uint8Array(video)], { type: "video/mp4" }), "probe.mp4");
  try {
    const response = await fetch(new URL("/v1/extract", url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: form,
      signal: AbortSignal.timeout(limitSeconds * 1000),
    });
    const body = (await response.json()) as {
      data?: { first_colour?: unknown };
      error?: { code: string; message: string };
    };
    if (response.status === 200 && typeof body.data?.first_colour === "string") return { result: "ok", words: "" };
    const code = body.error?.code ?? "";
    return {
      result: known.has(code) ? code : "wrong_answer",
      words: printable(`status ${response.status}, ${body.error?.message ?? "without an error of the service"}`),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return { result: "unreachable", words: printable(cause instanceof Error ? cause.message : message) };
  }
}

const keyHours = 12;
/** More than a day of one-minute jobs costs, also with two probers. */
const secondsADay = 200_000;

/**
 * Returns what gives the key of the prober's own account. The account gets its minutes each day, and a new key in time.
 * The contents of its jobs go after a day.
 */
function ownKey(env: AdminIo["env"]): () => Promise<string> {
  let current = { key: "", until: 0 };
  return async () => {
    if (Date.now() < current.until) return current.key;
    const { API_KEY_PREFIX: keyPrefix } = readSettings(env, ["API_KEY_PREFIX"]);
    await withDatabase({ env }, async (db) => {
      const { key } = await renew(db, keyPrefix);
      current = { key, until: Date.now() + keyHours * 3_600_000 };
    });
    return current.key;
  };
}

async function renew(db: Db, keyPrefix: string) {
  const { account } = await openAccount(db, { email: "prober@service.invalid", freeSeconds: 0 });
  await setRetention(db, account.id, 1);
  const day = new Date().toISOString().slice(0, 10);
  await grant(db, { accountId: account.id, seconds: secondsADay, reference: `prober ${day}` });
  const endsAt = new Date(Date.now() + 2 * keyHours * 3_600_000);
  return createKey(db, { accountId: account.id, name: "prober", keyPrefix, endsAt });
}

function secondsOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new AdminError("invalid_request", `"${text}" is not a number of seconds from 1 to 99999.`);
}
