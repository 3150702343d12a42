import { randomUUID } from "node:crypto";
import type { Limits } from "@video-to-json/contract";
import { limitConcurrentBodies, readTextBody, sendContinue } from "@video-to-json/runtime/http";
import type { Logger } from "@video-to-json/runtime/telemetry";
import { readMembers, type SchemaSandbox } from "@video-to-json/schema";
import type { Storage } from "@video-to-json/storage";
import type { Request, Response } from "express";
import type { Caller } from "../http/context.ts";
import { maxBodiesInFlight, maxJsonValues } from "./check-before-body.ts";
import { type ExtractRequest, type ValidationRules, validateRequest } from "./extract-request.ts";
import { createJsonFieldReader } from "./read-json-fields.ts";
import { type MultipartDeps, readMultipartFields } from "./read-multipart-fields.ts";
import { bodyTypeOf, prefersStrict } from "./request-options.ts";

export type ReadRequestDeps = Omit<MultipartDeps, "sandbox"> &
  ValidationRules & {
    readonly sandbox: Pick<SchemaSandbox, "forAccount">;
    readonly limits: Pick<Limits, "maxJobsPerAccount">;
  };

type ExtractRequestReader = (request: Request, response: Response, caller: Caller) => Promise<ExtractRequest>;

/**
 * Creates the function that reads and validates the body of `POST /v1/extract`, in both body types. The upload of a
 * request that it returns is in storage under the request's id. When it throws, it has deleted the upload.
 */
export function createExtractRequestReader(deps: ReadRequestDeps): ExtractRequestReader {
  const bodies = limitConcurrentBodies("too_many_jobs");
  const readJsonFields = createJsonFieldReader();

  const readForm: ExtractRequestReader = async (request, response, { accountId }) => {
    const id = randomUUID();
    const sandbox = deps.sandbox.forAccount(accountId);
    sendContinue(response);
    try {
      const rules = { ...deps, isStrict: prefersStrict(request) };
      return validateRequest(rules, id, await readMultipartFields({ ...deps, sandbox }, request, id));
    } catch (error) {
      await discardUpload(deps, id);
      throw error;
    }
  };

  const readJson: ExtractRequestReader = async (request, response, { accountId }) => {
    const text = await readTextBody(deps, request, response);
    const members = readMembers(text, { maxValues: maxJsonValues(deps.limits) });
    const fields = await readJsonFields(deps.sandbox.forAccount(accountId), members);
    return validateRequest({ ...deps, isStrict: prefersStrict(request) }, randomUUID(), fields);
  };

  return (request, response, caller) => {
    const read = bodyTypeOf(request) === "application/json" ? readJson : readForm;
    const owner = { id: caller.accountId, max: maxBodiesInFlight(caller, deps.limits) };
    return bodies.run(request, owner, () => read(request, response, caller));
  };
}

export type DiscardUploadDeps = { readonly storage: Pick<Storage, "delete">; readonly log: Pick<Logger, "warn"> };

/** Deletes an upload that no job owns. If storage fails, a worker's sweep deletes it later, and the caller is served. */
export async function discardUpload({ storage, log }: DiscardUploadDeps, id: string): Promise<void> {
  await storage.delete(id).catch((error) => log.warn({ err: error }, "cannot delete an upload that no job owns"));
}
