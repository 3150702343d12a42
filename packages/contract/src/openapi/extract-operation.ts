import { idempotencyKeyPattern } from "../idempotency-key.ts";
import { extractResponses, jsonRequests, multipartRequests } from "./examples.ts";
import { failures } from "./failures.ts";
import { headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

const parameters = [
  {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes a retry safe, for 24 hours: the same key with the same request joins the job while it runs and repeats its answer once it succeeded; a job that ended without charge is run again. With another request it is `idempotency_mismatch`.",
    schema: { type: "string", pattern: idempotencyKeyPattern.source },
    example: "match-1874-goals",
  },
];

/** `POST /v1/extract` (specification, "POST /v1/extract"). */
export const extractOperation = {
  operationId: "extractVideo",
  tags: ["Extraction"],
  summary: "Extract structured data from a video",
  description:
    "Synchronous: the answer comes on this request, for a short clip in roughly half a minute, and within 8 minutes in any case. Set the client's timeout accordingly. An answer that was lost on the way is read at `GET /v1/jobs/{id}`, or by sending the request again with the same `Idempotency-Key`; a caller that goes away loses nothing and is charged once.",
  parameters,
  requestBody: {
    required: true,
    description: "A file as a form, or a URL as a form or as JSON.",
    content: {
      "multipart/form-data": {
        schema: { $ref: "#/components/schemas/ExtractMultipart" },
        encoding: {
          video: { contentType: "video/*, application/octet-stream" },
          schema: { contentType: "text/plain, application/json" },
        },
        examples: multipartRequests,
      },
      ...jsonOf("ExtractJson", jsonRequests),
    },
  },
  responses: {
    200: {
      description: "Data conforming to the schema.",
      headers: headersOf("JobId", "IdempotentReplayed"),
      content: jsonOf("ExtractResponse", extractResponses),
    },
    ...failures({
      more: [
        "schema_missing",
        "schema_invalid",
        "video_missing",
        "video_unreachable",
        "out_of_minutes",
        "idempotency_mismatch",
        "video_too_long",
        "file_too_large",
        "media_unreadable",
        "extraction_failed",
        "too_many_jobs",
      ],
      carried: ["JobIdIfAny"],
      wrongRequest: "Both `video` and `video_url` were sent. Send one of them.",
    }),
  },
};
