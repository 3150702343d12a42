import { ExtractJson, Problem } from "@video-to-json/contract";
import type { RawMember, SchemaWork } from "@video-to-json/schema-input";
import { Ajv } from "ajv";
import type { Received } from "./extract-request.ts";

type Deps = { readonly sandbox: Pick<SchemaWork, "compile"> };

const ajv = new Ajv({ allErrors: true, formats: { uri: true } });
// Presence is judged later and in order; here only what is there must be of its type.
const isForm = ajv.compile({
  type: "object",
  properties: { video_url: ExtractJson.properties.video_url, instructions: ExtractJson.properties.instructions },
});

/**
 * What came in as JSON: the members of a body of `POST /v1/extract`, or the arguments of the MCP tool. The schema's own
 * text is kept: `0` and `0.0`, key order and duplicate keys would be lost by parsing. Members of other names are
 * ignored, and null counts as not sent. Throws invalid_request or schema_invalid.
 */
export async function receiveMembers(deps: Deps, members: ReadonlyMap<string, RawMember>): Promise<Received> {
  const form: Record<string, unknown> = {};
  for (const name of ["video_url", "instructions"]) {
    const member = members.get(name);
    if (member && member.value !== null) form[name] = member.value;
  }
  if (!isForm(form)) {
    const details = (isForm.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
    throw new Problem("invalid_request", { reason: "A field has the wrong type. Send strings." }, { details });
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
