import { ExtractJson, Problem } from "@video-to-json/contract";
import { readMembers, type SchemaSandbox } from "@video-to-json/schema-input";
import { Ajv } from "ajv";
import express, { type Request, type Response } from "express";
import type { Received } from "./extract-request.ts";
import { guardPace } from "./guard-pace.ts";

type Deps = { readonly sandbox: Pick<SchemaSandbox, "compile">; readonly uploadIdleSeconds: number };

const mostBytes = 4 * 1024 * 1024;
const readRaw = express.raw({ type: () => true, limit: mostBytes, inflate: false });
const ajv = new Ajv({ allErrors: true });
// Presence is judged later and in order; here only what is there must be of its type.
const isForm = ajv.compile({
  type: "object",
  properties: { video_url: ExtractJson.properties.video_url, instructions: ExtractJson.properties.instructions },
});

/**
 * Reads a JSON body of `POST /v1/extract`. The schema's own text is kept: `0` and `0.0`, key order and duplicate keys
 * would be lost by parsing. Members of other names are ignored. Throws invalid_request or schema_invalid.
 */
export async function readJsonBody(deps: Deps, request: Request, response: Response): Promise<Received> {
  const members = readMembers(utf8(await readBytes(deps, request, response)));
  const form: Record<string, unknown> = {};
  for (const name of ["video_url", "instructions"]) {
    const member = members.get(name);
    if (member && member.value !== null) form[name] = member.value;
  }
  if (!isForm(form)) {
    const details = (isForm.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
    throw new Problem("invalid_request", "A field is of the wrong type. Send texts.", { details });
  }
  const schema = members.get("schema");
  return {
    schema: schema && (await deps.sandbox.compile(schema.raw)),
    videoUrl: form.video_url as string | undefined,
    instructions: form.instructions as string | undefined,
    upload: undefined,
    hasFile: false,
  };
}

async function readBytes({ uploadIdleSeconds }: Deps, request: Request, response: Response): Promise<Buffer> {
  let pace: { stop(): void } | undefined;
  await new Promise<void>((resolve, reject) => {
    pace = guardPace(request, uploadIdleSeconds, reject);
    readRaw(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  }).finally(() => pace?.stop());
  // Without a body the reader leaves none.
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new Problem("invalid_request", "The body is not UTF-8. Send JSON in UTF-8.", { cause });
  }
}
