import { Ajv2020 } from "ajv/dist/2020.js";
import { billOf, type Call, requestIdOf, valueOfExtra } from "../load/call.ts";
import { fileName } from "../load/send.ts";
import { evidenceFault, isWithinPart, mayBeCancelled, mayFailWith } from "./callers.ts";
import { always, type Expected, fault, is, ofCall, ofJob, ofKey, type TableRule } from "./column-rule.ts";
import { outageMs, sha256, urlOf } from "./facts.ts";
import { numberOf, parsed } from "./records.ts";

const ajv = new Ajv2020({ strict: false });
// A request may become a job this long after its client left, because it waits for the database and then for its
// account.
const maxLateMs = 60_000;
// The client records its time before it connects, in whole milliseconds.
const roundingMs = 10;
/** No answer to a call of a run has more times. */
const maxTimes = 1_000;
// A sweep ends overdue jobs every five seconds. It may miss a round, and then wait on a busy machine.
const lateMs = 15_000;

function whenSent({ attempts }: Call): Expected {
  const from = Math.min(...attempts.map(({ startedAt }) => startedAt)) - roundingMs;
  return { from, until: Math.max(...attempts.map(({ endedAt }) => endedAt)) + maxLateMs };
}

const isTrue = "jobs are true";
const left = "nothing is left";
const end = "jobs end";

const jobs: TableRule = {
  name: ({ id, instructions }) => `job ${id} of ${instructions}`,
  columns: {
    id: is(isTrue, ({ id }, { told, fencesSeen }) =>
      fault(told.has(id ?? "") || fencesSeen.has(id ?? ""), "never seen during the run"),
    ),
    account_id: ofCall("errors cost nothing", ({ account }) => account.id),
    key_id: ofCall(
      "keys keep their limits",
      ({ account }, _row, { keys }) => keys.get(sha256(account.key))?.id ?? "stored",
    ),
    status: is(end, ({ id }, { debits }) => (debits.has(id ?? "") ? "succeeded" : "failed")),
    created_at: ofCall(isTrue, whenSent),
    // A fetch of a URL raises the fence too. The job starts after it, or never.
    started_at: ofJob(isTrue, ({ call, createdAt: from, finishedAt, status }, { fence, has_upload }) => {
      const orNull = call?.entryPoint !== "upload" && status === "failed";
      const until = finishedAt ?? Number.POSITIVE_INFINITY;
      return fence === "0" || (orNull && has_upload === "false") ? null : { from, until, orNull };
    }),
    finished_at: ofJob(end, ({ createdAt, deadlineAt, finishedAt }, row, { outages }) => {
      const late = lateMs + outageMs(outages, deadlineAt, finishedAt ?? deadlineAt);
      return { from: numberOf(row.started_at) ?? createdAt, until: deadlineAt + late };
    }),
    deadline_at: ofJob(isTrue, ({ createdAt }, _row, { jobSeconds }) => {
      const at = createdAt + jobSeconds * 1000;
      return { from: at - 1, until: at + 1 };
    }),
    schema: ofJob(isTrue, ({ call, isErased }) => (isErased ? "{}" : (call?.shape.schemaText ?? "a call's"))),
    instructions: ofJob(isTrue, ({ call, isErased }) => (isErased ? null : JSON.stringify(call?.marker))),
    title: ofJob(isTrue, ({ call, isErased }) => (call?.entryPoint === "upload" && !isErased ? fileName : null)),
    video_url: always(left, null),
    video_url_sha256: ofCall(isTrue, (call, { erased_at }, { filesUrl }) => {
      const url = urlOf(call, filesUrl);
      return url === undefined || erased_at !== null ? null : `\\x${sha256(url)}`;
    }),
    // A URL is fetched before its job starts. It is an upload then.
    has_upload: ofCall(isTrue, ({ entryPoint }, { started_at, error }) => {
      if (entryPoint === "upload" || started_at !== null) return "true";
      return error?.includes('"video_unreachable"') ? "false" : { oneOf: ["true", "false"] };
    }),
    video_key: { free: "A random id, which only workers see." },
    request_hash: ofJob(isTrue, ({ hash, isErased }) => (isErased ? "" : hash)),
    second_look: ofCall(isTrue, ({ extras }) => (extras?.includes("second-look") ? valueOfExtra["second-look"] : null)),
    clip_start_seconds: ofCall(isTrue, ({ clip }) => clip?.startSeconds ?? null),
    clip_end_seconds: ofCall(isTrue, ({ clip }) => clip?.endSeconds ?? null),
    detail: ofCall(isTrue, ({ detail = null }) => detail),
    needs: ofCall(isTrue, ({ extras = [], clip, detail }, { video_key }) => {
      const needs = extras.map((extra) => (extra === "second-look" ? "second_look" : "evidence"));
      const parts = [...(clip ? ["clip"] : []), ...(detail ? ["detail"] : []), ...needs.toSorted()];
      return `{${!video_key ? parts : [...parts, "video_key"]}}`;
    }),
    cancellable: { free: "It follows from who waits for the job, which leaves no trace after its end." },
    fence: is(isTrue, ({ id, fence, started_at }, { fencesSeen }) => {
      const seen = fencesSeen.get(id ?? "") ?? { fence: 0, isFinal: false };
      if (seen.isFinal) return seen.fence;
      return fault(Number(fence) >= Math.max(seen.fence, started_at === null ? 0 : 1), `${seen.fence} or more`);
    }),
    open_claims: { free: "Random ids, which only workers see." },
    duration_ms: ofJob(isTrue, ({ id, call, status, durationMs }, _row, { holds }) => {
      const length = Math.round(call?.video.durationMs ?? Number.NaN);
      return status === "succeeded" || holds.has(id) || durationMs !== null ? length : null;
    }),
    billed_seconds: ofCall("money is whole", (call, { status }) => (status === "succeeded" ? billOf(call) : 0)),
    model: is(isTrue, ({ status }, { asked }) => (status === "succeeded" ? { oneOf: [...asked.keys()] } : null)),
    data: ofCall("answers are true", (call, { status, data, erased_at }) => {
      if (status !== "succeeded") return null;
      if (erased_at !== null) return "null";
      const { shape } = call;
      if (!isWithinPart(call, data)) return fault(false, "times within the part that its request names");
      return fault(ajv.validate(shape.asks, parsed(data)), `conforming to "${shape.name}": ${ajv.errorsText()}`);
    }),
    error: ofCall("errors are true", (call, { status, error }) => {
      if (status === "succeeded") return null;
      const { code = "", message } = (parsed(error) ?? {}) as { code?: string; message?: string };
      const isRight = mayFailWith(call, code) || (code === "invalid_request" && mayBeCancelled(call));
      return fault(isRight && typeof message === "string", `an error that "${call.marker}" may get`);
    }),
    evidence: ofJob("evidence is true", (job) => ({ fault: evidenceFault(job) })),
    attempts: { free: "The effort of the last run, which people read and nobody promises." },
    stages: ofJob(isTrue, ({ createdAt, finishedAt }, { stages, second_look: wanted }) => {
      const { second_look: counts = {}, ...times } = (parsed(stages) ?? {}) as Record<string, object>;
      const most = (finishedAt ?? 0) - createdAt + roundingMs;
      const isWithin = (values: object, most: number) =>
        Object.values(values).every((value) => typeof value === "number" && value >= 0 && value <= most);
      return fault(
        isWithin(times, most) && isWithin(counts, wanted === "off" ? 0 : maxTimes),
        "times within the job's, and counts of its second look",
      );
    }),
    retry_after_seconds: ofJob(isTrue, ({ errorCode }) => {
      const until = { provider_unavailable: 3600, rate_limited: 86_400 }[errorCode ?? ""];
      return until === undefined ? null : { from: 1, until, orNull: true };
    }),
    trace_parent: always(isTrue, null),
    request_id: ofCall(isTrue, requestIdOf),
    cleaned_at: ofJob(left, ({ finishedAt }, _row, { span }) => ({ from: finishedAt ?? 0, until: span.until })),
    erased_at: is("evidence is true", ({ id }, { deleted, span }) => (deleted.has(id ?? "") ? span : null)),
  },
  rows: ({ jobs: all, asked, deleted, fencesSeen, rows }) => {
    const answers = Map.groupBy(
      rows("jobs").filter(({ status }) => status === "succeeded"),
      ({ model }) => String(model),
    );
    return {
      rule: isTrue,
      faults: [
        ...[...answers].flatMap(([model, own]) =>
          own.length > (asked.get(model) ?? 0)
            ? [`${own.length} jobs have answers of ${model}, which was asked ${asked.get(model) ?? 0} times`]
            : [],
        ),
        ...[...deleted.keys(), ...fencesSeen.keys()].filter((id) => !all.has(id)).map((id) => `job ${id} is gone`),
      ],
    };
  },
};

const idempotencyKeys: TableRule = {
  name: ({ account_id, key }) => `key "${key}" of account ${account_id}`,
  columns: {
    account_id: ofKey("one job a key", ({ account }) => account.id),
    key: ofKey("one job a key", ({ idempotencyKey = "" }) => idempotencyKey),
    request_hash: ofKey(isTrue, ({ marker }, _row, { hashes }) => hashes.get(marker) ?? ""),
    job_id: ofKey("one job a key", ({ marker }, _row, { jobsByMarker }) => {
      const own = jobsByMarker.get(marker) ?? [];
      const succeeded = own.filter(({ status }) => status === "succeeded");
      return { oneOf: (succeeded.length > 0 ? succeeded : own).map(({ id }) => id) };
    }),
    created_at: ofKey("one job a key", whenSent),
  },
  // A key is stored with its job, and stays with a job that failed.
  rows: ({ rows, calls, jobsByMarker }) => ({
    rule: "one job a key",
    faults: calls.flatMap(({ idempotencyKey, marker }) => {
      if (idempotencyKey === undefined) return [];
      const stored = rows("idempotency_keys").filter(({ key }) => key === idempotencyKey).length;
      const wanted = jobsByMarker.has(marker) ? 1 : 0;
      return stored === wanted ? [] : [`the key of "${marker}" is stored ${stored} times instead of ${wanted}`];
    }),
  }),
};

const jobWaiters: TableRule = {
  name: ({ job_id, call_id }) => `call ${call_id}, which waits for job ${job_id},`,
  columns: {
    call_id: { free: "A random id, which no caller sees." },
    job_id: ofCall(left, ({ entryPoint }) => fault(entryPoint === "mcp", "of an MCP call"), "job_id"),
    created_at: ofCall(left, whenSent, "job_id"),
  },
  rows: ({ rows, jobs: all }) => ({
    rule: left,
    faults: [...Map.groupBy(rows("job_waiters"), ({ job_id }) => job_id ?? "")].flatMap(([id, own]) => {
      const most = all.get(id)?.call?.attempts.length ?? 0;
      return own.length > most ? [`${own.length} calls share job ${id}, and ${most} were made`] : [];
    }),
  }),
};

export const jobRules: Readonly<Record<string, TableRule>> = {
  jobs,
  idempotency_keys: idempotencyKeys,
  job_waiters: jobWaiters,
};
