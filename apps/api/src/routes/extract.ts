import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { findIdempotencyKey } from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";
import type { Storage } from "@video-to-json/storage";
import type { Logger } from "@video-to-json/telemetry";
import type { Request, RequestHandler, Response } from "express";
import { type Caller, callerOf } from "../caller/authenticate.ts";
import { type Admission, admitJob, requireMinutes } from "../extract/admit-job.ts";
import { awaitAnswer, problemOf } from "../extract/await-answer.ts";
import type { Received } from "../extract/extract-request.ts";
import { idempotencyKeyOf } from "../extract/idempotency-key.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { judgeRequest } from "../extract/judge-request.ts";
import { readJsonBody } from "../extract/read-json-body.ts";
import { readMultipartBody } from "../extract/read-multipart-body.ts";

type Deps = Parameters<typeof readMultipartBody>[0] &
  Parameters<typeof readJsonBody>[0] &
  Parameters<typeof judgeRequest>[0] &
  Parameters<typeof admitJob>[0] &
  Parameters<typeof awaitAnswer>[0] & {
    readonly storage: Pick<Storage, "put" | "delete">;
    readonly queue: Pick<JobQueue, "enqueue">;
    readonly log: Pick<Logger, "warn">;
  };

/**
 * `POST /v1/extract`: reads the request, admits a job, waits for its end and answers with it, all on this request
 * (specification, "POST /v1/extract"). A caller that goes away loses nothing: the job runs on.
 */
export function extract(deps: Deps): RequestHandler {
  return async (request, response) => {
    const caller = callerOf(response);
    const readBody = bodyReader(request);
    const idempotencyKey = idempotencyKeyOf(request);
    await refuseEarly(deps, caller, idempotencyKey, request);

    const admission = await admit(deps, caller, idempotencyKey, (id) => readBody(deps, request, response, id));
    response.set("Job-Id", admission.jobId);
    if (admission.kind === "replayed") response.set("Idempotent-Replayed", "true");
    if (admission.kind === "new") await wakeWorkers(deps, admission.jobId);
    await answer(deps, { id: admission.jobId, accountId: caller.accountId }, response);
  };
}

/** Reads, judges and admits. The upload of an admitted job is the worker's to delete; any other is deleted here. */
async function admit(
  deps: Deps,
  caller: Caller,
  idempotencyKey: string | undefined,
  receive: (id: string) => Promise<Received>,
): Promise<Admission> {
  const id = randomUUID();
  let kind: Admission["kind"] | undefined;
  try {
    const request = judgeRequest(deps, await receive(id));
    const admission = await admitJob(deps, { id, caller, request, idempotencyKey });
    kind = admission.kind;
    return admission;
  } finally {
    if (kind !== "new") await deps.storage.delete(id);
  }
}

type BodyReader = (deps: Deps, request: Request, response: Response, key: string) => Promise<Received>;

function bodyReader(request: Request): BodyReader {
  const type = request.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") {
    return (deps, incoming, response, key) => {
      acceptBody(response);
      return readMultipartBody(deps, incoming, key);
    };
  }
  if (type === "application/json") {
    return (deps, incoming, response) => {
      acceptBody(response);
      return readJsonBody(deps, incoming, response);
    };
  }
  throw new Problem(
    "invalid_request",
    "The content type is neither multipart/form-data nor application/json. Send one of the two.",
  );
}

/** What can be refused before the body is read. A replay needs no minutes, so a known key is let through. */
async function refuseEarly(deps: Deps, caller: Caller, key: string | undefined, request: Request): Promise<void> {
  const known =
    key !== undefined &&
    (await findIdempotencyKey(deps.db, {
      accountId: caller.accountId,
      key,
      maxAgeHours: deps.limits.idempotencyHours,
    }));
  if (!known) await requireMinutes(deps.db, caller.accountId, deps.limits);
  const otherParts = 2 * deps.limits.maxSchemaBytes + 8 * deps.limits.maxInstructionsCharacters + 64 * 1024;
  if (Number(request.get("content-length") ?? 0) > deps.limits.maxUploadBytes + otherParts) {
    const most = Math.floor(deps.limits.maxUploadBytes / 1024 ** 2);
    throw new Problem("file_too_large", `An upload is ${most} MiB at most. Re-encode the video, or send its URL.`);
  }
}

/** The caller who asked whether to go on (`Expect: 100-continue`) is told so once the body is wanted. */
function acceptBody(response: Response): void {
  if (!response.locals.expectsContinue) return;
  response.writeContinue();
  // From here on an early answer meets a caller who sends: the connection must not be cut at once.
  response.shouldKeepAlive = true;
}

async function wakeWorkers({ queue, log }: Deps, id: string): Promise<void> {
  // Postgres holds the job; without the queue a sweeper finds it a little later.
  await queue.enqueue(id).catch((error) => log.warn({ err: error, jobId: id }, "the queue did not take the job"));
}

async function answer(deps: Deps, job: { id: string; accountId: string }, response: Response): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) gone.abort();
  const row = await awaitAnswer(deps, job, gone.signal);
  if (!row) return;
  if (row.status === "failed") throw problemOf(row);
  response.type("application/json").send(extractResponseText(row));
}
