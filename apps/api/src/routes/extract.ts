import { idempotencyKeyPattern } from "@video-to-json/contract";
import { ExtractJson, ExtractMultipart, ExtractResponse } from "@video-to-json/contract/shapes/extract";
import { signalOnClose } from "@video-to-json/http-server";
import { callerOf } from "../caller/authenticate.ts";
import { type AdmitAndWaitDeps, admitAndWait } from "../extract/admit-and-wait.ts";
import { endArrivalTurn } from "../extract/arrival-turns.ts";
import { type CheckBeforeBodyDeps, checkBeforeBody } from "../extract/check-before-body.ts";
import { idempotencyKeyOf } from "../extract/idempotency-key.ts";
import { jobHeaders } from "../extract/job-headers.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { createExtractRequestReader, type ReadRequestDeps } from "../extract/read-extract-request.ts";
import { type Examples, json, type Operation } from "../openapi/operation.ts";
import { extraction, idempotencyKey, instructions, jsonSchema, sketch, videoUrl } from "../openapi/samples.ts";
import type { Route } from "./route.ts";

type ExtractDeps = CheckBeforeBodyDeps & ReadRequestDeps & AdmitAndWaitDeps;

const multipartRequests: Examples = {
  uploadWithSketch: {
    summary: "A file and a sketch",
    value: { schema: JSON.stringify(sketch), instructions, video: "final.mp4" },
  },
  uploadWithJsonSchema: {
    summary: "A file and a JSON Schema",
    value: { schema: JSON.stringify(jsonSchema), video: "final.mp4" },
  },
  urlWithSketch: { summary: "A URL and a sketch", value: { schema: JSON.stringify(sketch), video_url: videoUrl } },
};

const jsonRequests: Examples = {
  sketch: { summary: "A URL and a sketch", value: { video_url: videoUrl, schema: sketch, instructions } },
  jsonSchema: { summary: "A URL and a JSON Schema", value: { video_url: videoUrl, schema: jsonSchema } },
};

const operation: Operation = {
  operationId: "extractVideo",
  tag: "Extraction",
  summary: "Extract structured data from a video",
  description:
    "Synchronous: the answer comes on this request, for a short clip after roughly half a minute, and within 8 minutes in any case. Set the client's timeout accordingly. If the answer is lost on the way, read it at `GET /v1/jobs/{id}`, or send the request again with the same `Idempotency-Key`. A caller that goes away loses nothing and is charged once.",
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "Makes a retry safe for 24 hours. The same key with the same request joins the job while it is open and repeats its answer after it has succeeded. A job that failed cost nothing and is run again. The same key with another request is `idempotency_mismatch`.",
      schema: { type: "string", pattern: idempotencyKeyPattern.source },
      example: idempotencyKey,
    },
  ],
  requestBody: {
    description: "A file as a form, or a URL as a form or as JSON.",
    content: {
      "multipart/form-data": {
        schema: ExtractMultipart,
        encoding: {
          video: { contentType: "video/*, application/octet-stream" },
          schema: { contentType: "text/plain, application/json" },
        },
        examples: multipartRequests,
      },
      ...json(ExtractJson, jsonRequests),
    },
  },
  responses: {
    200: {
      description: "Data that conforms to the schema.",
      headers: ["JobId", "IdempotentReplayed"],
      content: json(ExtractResponse, { goals: { summary: "The goals of a match", value: extraction } }),
    },
  },
  failures: {
    scope: "extraction",
    headers: ["JobIdIfAny"],
    invalidRequest: "The request has both `video` and `video_url`. Send one of them.",
  },
};

/**
 * `POST /v1/extract`: reads the request, admits a job, waits for its end and responds with the answer
 * (specification, "POST /v1/extract"). If the caller goes away, the job continues.
 */
export const extractRoute: Route<ExtractDeps> = {
  method: "post",
  path: "/v1/extract",
  rateLimit: "extract",
  operation,
  handle: (deps) => {
    const readExtractRequest = createExtractRequestReader(deps);
    return async (request, response) => {
      const caller = callerOf(response);
      const key = idempotencyKeyOf(request);
      await checkBeforeBody(deps, request, { accountId: caller.accountId, key });
      endArrivalTurn(response);
      const extraction = await readExtractRequest(request, response, caller);
      const row = await admitAndWait(deps, {
        caller,
        request: extraction,
        reuse: key === undefined ? { of: "nothing" } : { of: "idempotency-key", key },
        onAdmitted: jobHeaders(response),
        signal: signalOnClose(response),
      });
      if (row) response.type("application/json").send(extractResponseText(row));
    };
  },
};
