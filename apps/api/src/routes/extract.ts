import { Problem } from "@video-to-json/contract";
import { findIdempotencyKey, retryWhileUnavailable } from "@video-to-json/database";
import { readMembers, type SchemaSandbox } from "@video-to-json/schema-input";
import type { Request, RequestHandler, Response } from "express";
import { type Caller, callerOf } from "../caller/authenticate.ts";
import { admitAndWait } from "../extract/admit-and-wait.ts";
import { requireMinutes } from "../extract/admit-job.ts";
import type { Received } from "../extract/extract-request.ts";
import { idempotencyKeyOf } from "../extract/idempotency-key.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { readMultipartBody } from "../extract/read-multipart-body.ts";
import { receiveMembers } from "../extract/receive-members.ts";
import { acceptBody } from "../http/accept-body.ts";
import { openBodyCount } from "../http/count-bodies.ts";
import { goneSignal } from "../http/gone-signal.ts";
import { mostValues, readTextBody } from "../http/read-text-body.ts";

type BodyDeps = Parameters<typeof readMultipartBody>[0] &
  Parameters<typeof receiveMembers>[0] &
  Parameters<typeof readTextBody>[0];

type Deps = Omit<BodyDeps, "sandbox"> &
  Parameters<typeof admitAndWait>[0] & { readonly sandbox: Pick<SchemaSandbox, "forAccount"> };

/**
 * `POST /v1/extract`: reads the request, admits a job, waits for its end and answers with it, all on this request
 * (specification, "POST /v1/extract"). A caller that goes away loses nothing: the job runs on.
 */
export function extract(deps: Deps): RequestHandler {
  const bodies = openBodyCount(deps, "too_many_jobs");
  return async (request, response) => {
    const caller = callerOf(response);
    const readBody = bodyReader(request);
    const key = idempotencyKeyOf(request);
    await refuseEarly(deps, caller, key, request);
    const bodyDeps = { ...deps, sandbox: deps.sandbox.forAccount(caller.accountId) };

    const row = await admitAndWait(deps, {
      caller,
      same: key === undefined ? "none" : { key },
      receive: (id) => bodies.receive(request, caller, () => readBody(bodyDeps, request, response, id)),
      onAdmitted: ({ jobId, kind }) => {
        response.set("Job-Id", jobId);
        if (kind === "replayed") response.set("Idempotent-Replayed", "true");
      },
      signal: goneSignal(response),
    });
    if (row) response.type("application/json").send(extractResponseText(row));
  };
}

type BodyReader = (deps: BodyDeps, request: Request, response: Response, key: string) => Promise<Received>;

function bodyReader(request: Request): BodyReader {
  const type = request.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data") {
    return (deps, incoming, response, key) => {
      acceptBody(response);
      return readMultipartBody(deps, incoming, key);
    };
  }
  if (type === "application/json") {
    return async (deps, incoming, response) => {
      const text = await readTextBody(deps, incoming, response);
      return receiveMembers(deps, readMembers(text, { maxValues: mostValues(deps.limits) }));
    };
  }
  throw new Problem("invalid_request", {
    reason: "The content type is neither multipart/form-data nor application/json. Send one of the two.",
  });
}

/** What can be refused before the body is read. A replay needs no minutes, so a known key is let through. */
async function refuseEarly(deps: Deps, caller: Caller, key: string | undefined, request: Request): Promise<void> {
  const { accountId } = caller;
  const { idempotencyHours: maxAgeHours } = deps.limits;
  await retryWhileUnavailable(
    async () => {
      const known = key !== undefined && (await findIdempotencyKey(deps.db, { accountId, key, maxAgeHours }));
      if (!known) await requireMinutes(deps.db, accountId, deps.limits);
    },
    { ms: deps.databaseRetryMs },
  );
  const otherParts = 2 * deps.limits.maxSchemaBytes + 8 * deps.limits.maxInstructionsCharacters + 64 * 1024;
  if (Number(request.get("content-length") ?? 0) > deps.limits.maxUploadBytes + otherParts) {
    throw new Problem("file_too_large", { what: "upload", maxBytes: deps.limits.maxUploadBytes });
  }
}
