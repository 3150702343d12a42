import {
  completeLists,
  completeListsHeader,
  idempotencyKeyPattern,
  secondLookHeader,
  secondLooks,
} from "@video-to-json/contract";
import { ExtractJson, ExtractMultipart, ExtractResponse, heldCallEvents } from "@video-to-json/contract/shapes/extract";
import { signalOnClose } from "@video-to-json/runtime/http";
import { endArrivalTurn } from "../caller/arrival-turns.ts";
import { callerOf } from "../caller/authenticate.ts";
import { type AdmitAndWaitDeps, admitAndWait, type Extraction } from "../extract/admit-and-wait.ts";
import { type CheckBeforeBodyDeps, checkBeforeBody } from "../extract/check-before-body.ts";
import { extractResponseText, jobHeaders, linkEvidence, tellSecondLook } from "../extract/job-answer.ts";
import { createExtractRequestReader, type ReadRequestDeps } from "../extract/read-extract-request.ts";
import {
  acceptsEventStream,
  asksForEvidence,
  bodyTypeOf,
  checksOf,
  idempotencyKeyOf,
  prefersStrict,
} from "../extract/request-options.ts";
import { type StreamDeps, streamAnswer } from "../extract/stream-answer.ts";
import { checkQuery } from "../extract/unknown-members.ts";
import { originOf } from "../http/context.ts";
import { type Examples, events, json, type Operation } from "../openapi/operation.ts";
import { extraction, idempotencyKey, instructions, jsonSchema, sketch, videoUrl } from "../openapi/samples.ts";
import type { Route } from "./route.ts";

type ExtractDeps = CheckBeforeBodyDeps & ReadRequestDeps & AdmitAndWaitDeps & StreamDeps;

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

const streamDescription =
  "Server-sent events, for `Accept: text/event-stream` unless `application/json` has a higher weight. A request that is refused before its job is admitted gets the status and the Error of every response. From admission on the status is 200: one `admitted`, a `warning` for each doubt about the schema and each member without effect, a `progress` at every change, a comment at least every 10 s, and as the last event either `result`, whose data is the body of the JSON response, or `error`. Where the JSON response would have `Retry-After`, the field `retry` of that event has the time in milliseconds. A stream that ends without `result` or `error` was cut off: the job continues, read it at `GET /v1/jobs/{id}`.";

const heldCall: Examples = {
  goals: {
    summary: "A call that succeeds",
    value: [
      `event: admitted\ndata: ${JSON.stringify({ id: extraction.id, replayed: false })}`,
      'event: progress\ndata: {"stage":"analysing","attempt":1}',
      ": waiting",
      `event: result\ndata: ${JSON.stringify(extraction)}`,
      "",
    ].join("\n\n"),
  },
};

const operation: Operation = {
  operationId: "extractVideo",
  tag: "Extraction",
  summary: "Extract structured data from a video",
  description:
    "Synchronous: the answer comes on this request, for a short clip after roughly half a minute, and within the time of a job (*Limits*) in any case. Set the client's timeout accordingly. Until then the response is silent, which many proxies cut off after a minute: with `Accept: text/event-stream` it is a stream of events that shows life, names the job within a second and ends with the same answer. If the answer is lost on the way, read it at `GET /v1/jobs/{id}`, or send the request again with the same `Idempotency-Key`. A caller that goes away loses nothing and is charged once.",
  parameters: [
    {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "Makes a retry safe for as long as the service remembers the key (*Limits*). The same key with the same request joins the job while it is open and repeats its answer after it has succeeded. A job that failed cost nothing and is run again. The same key with another request is `idempotency_mismatch`.",
      schema: { type: "string", pattern: idempotencyKeyPattern.source },
      example: idempotencyKey,
    },
    {
      name: "Extract-Evidence",
      in: "header",
      required: false,
      description:
        "Asks for the evidence of each field: where the video shows it, with quotes and the results of the checks. The body is unchanged, and the evidence costs nothing: read it at `GET /v1/jobs/{id}/evidence`. The answer takes up to half a minute longer. It is part of the request: with an `Idempotency-Key`, send it again.",
      schema: { type: "string", enum: ["fields"] },
      example: "fields",
    },
    {
      name: secondLookHeader,
      in: "header",
      required: false,
      description:
        "Whether the times of the answer are checked in narrow clips of the video before it is returned. With `times`, one that two looks see elsewhere is corrected, and one that none of them sees makes the service ask again. `auto` does as much of that as fits into half of the effort, and never asks again. `Second-Look-Result` says what was found. It costs nothing, and takes up to half a minute longer. It is part of the request: with an `Idempotency-Key`, send it again. Without the header, the operator's setting decides.",
      schema: { type: "string", enum: [...secondLooks] },
      example: "times",
    },
    {
      name: completeListsHeader,
      in: "header",
      required: false,
      description:
        "Whether the lists of moments in the data are completed: a video of more than two minutes is asked about again in overlapping parts, and what a second look shows too is added. It costs nothing, and takes up to a minute longer. It is part of the request: with an `Idempotency-Key`, send it again. Without the header, the operator's setting decides.",
      schema: { type: "string", enum: [...completeLists] },
      example: "on",
    },
    {
      name: "Prefer",
      in: "header",
      required: false,
      description:
        "With `handling=strict`, a schema that may mean something else than its author wants is `schema_invalid`, and costs nothing: `details` say what to write. Without it the schema runs as it is written, and the response says how many doubts there are (`Extract-Warnings`).",
      schema: { type: "string" },
      example: "handling=strict",
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
      headers: ["JobId", "IdempotentReplayed", "EvidenceLink", "ExtractWarnings", "SecondLookResult"],
      content: {
        ...json(ExtractResponse, { goals: { summary: "The goals of a match", value: extraction } }),
        ...events(heldCallEvents, streamDescription, heldCall),
      },
    },
  },
  failures: {
    scope: "extraction",
    // For an Idempotency-Key whose job was deleted.
    codes: ["not_found"],
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
  use: { kind: "extract", scope: "extract" },
  operation,
  handle: (deps) => {
    const readExtractRequest = createExtractRequestReader(deps);
    return async (request, response) => {
      const caller = callerOf(response);
      const key = idempotencyKeyOf(request);
      const wantsEvidence = asksForEvidence(request);
      const checks = checksOf(request);
      const ignored = checkQuery(request);
      const check = () => checkBeforeBody(deps, request, { caller, key });
      const read = () => readExtractRequest(request, response, caller);
      const isForm = bodyTypeOf(request) === "multipart/form-data";
      if (isForm) await check();
      endArrivalTurn(response);
      const body = isForm ? await read() : await readSmallBody(read, check);
      if (prefersStrict(request)) response.set("Preference-Applied", "handling=strict");
      const warnings = [...(body.warnings ?? []), ...ignored];
      const extraction: Omit<Extraction, "onAdmitted"> = {
        caller,
        request: { ...body, warnings, wantsEvidence, ...checks, ...originOf(response) },
        reuse: key === undefined ? { of: "nothing" } : { of: "idempotency-key", key },
        signal: signalOnClose(response),
      };
      if (acceptsEventStream(request.get("accept"))) return streamAnswer(deps, response, extraction);
      const row = await admitAndWait(deps, { ...extraction, onAdmitted: jobHeaders(response, extraction.request) });
      if (!row) return;
      if (wantsEvidence) linkEvidence(response, row.id);
      tellSecondLook(response, row);
      response.type("application/json").send(extractResponseText(row));
    };
  },
};

/**
 * Reads a JSON body. It is small, and the admission checks its account, so `check` runs only if the body has a fault: a
 * fault of the account comes before one of the body.
 */
async function readSmallBody<T>(read: () => Promise<T>, check: () => Promise<void>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    await check();
    throw error;
  }
}
