import { anotherJob, type Plant, sqlPlant } from "./plant.ts";

const isTrue = "jobs are true";

/** Violations in the rows of jobs and of Idempotency-Keys. */
export const jobPlants: readonly Plant[] = [
  sqlPlant(
    "lost-answer",
    "answers are true",
    /response 200, but job .* is failed/,
    `update jobs set status = 'failed', data = null, billed_seconds = 0,
      error = '{"code":"internal_error","message":"planted"}' where id = $job`,
  ),
  sqlPlant(
    "changed-answer",
    "answers are true",
    /differs from the stored one/,
    `update jobs set data = '{"planted":true}' where id = $job`,
  ),
  sqlPlant(
    "unfinished-job",
    "jobs end",
    /is queued/,
    `insert into jobs (id, account_id, deadline_at, schema, has_upload, request_hash)
      select gen_random_uuid(), account_id, now() + interval '1 hour', schema, true, 'planted' from jobs where id = $job`,
  ),
  sqlPlant(
    "late-end",
    "jobs end",
    /finished 3600 s after its deadline/,
    "update jobs set finished_at = deadline_at + interval '1 hour' where id = $job",
  ),
  sqlPlant("lost-model", "jobs end", /with model null/, "update jobs set model = null where id = $job"),
  sqlPlant(
    "uncleaned-job",
    "nothing is left",
    /is not recorded as deleted/,
    "update jobs set cleaned_at = null where id = $job",
  ),
  sqlPlant(
    "unasked-job",
    "errors cost nothing",
    /job .* succeeded, but account .* did not request it/,
    anotherJob("null", 1),
  ),
  sqlPlant(
    "changed-schema",
    isTrue,
    /has another schema than/,
    `update jobs set schema = '{"planted":"string"}' where id = $job`,
  ),
  sqlPlant(
    "changed-instructions",
    isTrue,
    /has the instructions "planted", which no client sent/,
    `update jobs set instructions = '"planted"' where id = $failed`,
  ),
  sqlPlant(
    "changed-source",
    isTrue,
    /has a video from elsewhere/,
    "update jobs set has_upload = not has_upload where id = $job",
  ),
  sqlPlant(
    "changed-hash",
    isTrue,
    /job .* has another request hash than/,
    "update jobs set request_hash = md5(request_hash)",
  ),
  sqlPlant(
    "changed-key-hash",
    isTrue,
    /key .* is stored with another request hash/,
    "update idempotency_keys set request_hash = md5(request_hash)",
  ),
  sqlPlant(
    "unknown-model",
    isTrue,
    /from the model planted, which was never asked/,
    "update jobs set model = 'planted' where id = $job",
  ),
  sqlPlant(
    "other-model",
    isTrue,
    /jobs have answers of .*, which was asked \d+ times|, which was never asked/,
    "update jobs set model = 'gemini-3.8-flash' where status = 'succeeded'",
  ),
  sqlPlant(
    "started-after-end",
    isTrue,
    /was finished before it was started/,
    "update jobs set started_at = finished_at + interval '1 second' where id = $job",
  ),
  sqlPlant(
    "moved-creation",
    isTrue,
    /was created at .*, when .* was not being sent/,
    "update jobs set created_at = created_at - interval '2 days', deadline_at = deadline_at - interval '2 days' where id = $job",
  ),
  sqlPlant(
    "moved-deadline",
    isTrue,
    /has its deadline 90 s after its creation/,
    "update jobs set deadline_at = deadline_at + interval '30 seconds' where id = $failed",
  ),
  sqlPlant("fence-zero", isTrue, /was started with fence 0/, "update jobs set fence = 0 where id = $failed"),
  sqlPlant(
    "fallen-fence",
    isTrue,
    /has fence 0, and had \d+ before/,
    "update jobs set fence = fence - 1 where id = $job",
  ),
  sqlPlant(
    "changed-length",
    isTrue,
    /is stored with \d+ ms for a video of \d+ ms/,
    "update jobs set duration_ms = duration_ms + 5 where id = $failed",
  ),
  sqlPlant(
    "changed-error",
    "errors are true",
    /got \w+, and job .* is stored with media_unreadable/,
    `update jobs set error = '{"code":"media_unreadable","message":"planted"}' where id = $failed`,
  ),
  sqlPlant(
    "cancelled-job",
    "errors are true",
    /was cancelled, and no caller who may cancel it left/,
    `update jobs set error = '{"code":"invalid_request","message":"planted"}' where id = $failed`,
  ),
  sqlPlant(
    "doubled-key",
    "one job a key",
    /is stored 2 times/,
    "alter table idempotency_keys drop constraint idempotency_keys_account_id_key_pk",
    `insert into idempotency_keys (account_id, key, request_hash, job_id)
      select account_id, 'planted', 'planted', id from jobs, generate_series(1, 2) where id = $job`,
  ),
  sqlPlant(
    "lost-key-of-failure",
    "one job a key",
    /the key of .* is gone/,
    "delete from idempotency_keys where job_id in (select id from jobs where status = 'failed')",
  ),
];
