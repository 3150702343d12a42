import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { signInLink } from "@video-to-json/stack";
import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { recordRedisCommands } from "./record-leaks.ts";

/** Creates a word that occurs nowhere else. */
const word = (what: string) => `${what}${randomBytes(8).toString("hex")}`;
const words = { schema: word("SchemaKey"), instructions: word("Instruction"), answer: word("AnswerText") };

const foundIn = (text: string) =>
  Object.entries(words).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []));

/** Every row of every table, as text. */
async function wholeDatabase(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema')`;
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql.unsafe(`select t::text as row from ${name} t`)) texts.push(String(row));
  }
  return texts.join("\n");
}

test("an extraction of the playground runs with the rights of the service's user, and its deleted contents are nowhere: database, queue, storage, logs", async () => {
  await using service = await startService({ ownUser: true, env: { LOG_LEVEL: "trace" } });
  const dataDir = dirname(service.video);
  const owner = postgres(service.database.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => owner.end());
  using redis = await recordRedisCommands(service.redis.url);
  const at = `${service.baseUrl}/dashboard/api`;
  const link = new URL((await signInLink(service, dataDir)) ?? "");
  const { email, code: otp } = Object.fromEntries(new URLSearchParams(link.hash.slice(1)));
  const origin = service.baseUrl;
  const entered = await fetch(`${at}/auth/sign-in/email-otp`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ email, otp }),
  });
  const cookie = String(entered.headers.getSetCookie()[0]?.split(";")[0]);

  const form = new FormData();
  form.set("schema", JSON.stringify({ [words.schema]: `${words.answer}1|${words.answer}2` }));
  form.set("instructions", words.instructions);
  form.set("video", new Blob([await readFile(service.video)]), "clip.mp4");
  const asking = { cookie, origin, "extract-evidence": "fields" };
  const extracted = await fetch(`${at}/extract`, { method: "POST", headers: asking, body: form });
  const answer = await extracted.text();
  expect([extracted.status, foundIn(answer)]).toEqual([200, ["schema", "answer"]]);
  const { id } = JSON.parse(answer) as { id: string };
  const job = (await (await fetch(`${at}/jobs/${id}`, { headers: { cookie } })).json()) as Record<string, unknown>;
  expect(job).toMatchObject({ key: null, attempts: 1, billed_seconds: 60, wants_evidence: true });
  const evidence = await (await fetch(`${at}/jobs/${id}/evidence`, { headers: { cookie } })).text();
  expect(foundIn(evidence)).toEqual(["schema"]);
  expect((job.timings as { stage: string }[]).map(({ stage }) => stage)).toEqual(
    expect.arrayContaining(["queued", "probing", "analysing"]),
  );
  expect(foundIn(await wholeDatabase(owner))).toEqual(["schema", "instructions", "answer"]);

  const deleted = await fetch(`${at}/jobs/${id}`, { method: "DELETE", headers: { cookie, origin } });
  expect(deleted.status).toBe(204);
  const logs = join(dataDir, "logs");
  const names = (await readdir(logs)).filter((name) => /^(api|worker)-/.test(name));
  const logged = (await Promise.all(names.map((name) => readFile(join(logs, name), "utf8")))).join("\n");
  expect(logged).toContain(id);
  expect({
    database: foundIn(await wholeDatabase(owner)),
    queue: foundIn(redis.commands()),
    logs: foundIn(logged),
  }).toEqual({ database: [], queue: [], logs: [] });
  await untilNothingIsLeft(service);

  // The ledger's row stays.
  const { entries } = (await (await fetch(`${at}/ledger`, { headers: { cookie } })).json()) as {
    entries: { job_id: string | null; seconds: number }[];
  };
  expect(entries[0]).toMatchObject({ job_id: id, seconds: -60 });
  const ended = await fetch(`${at}/account`, { method: "DELETE", headers: { cookie, origin } });
  expect(ended.status).toBe(204);
  expect(await wholeDatabase(owner)).not.toContain(email);
});
