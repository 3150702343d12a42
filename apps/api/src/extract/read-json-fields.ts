import { Problem } from "@video-to-json/contract";
import { ExtractJson } from "@video-to-json/contract/shapes/extract";
import type { RawMember, SchemaWork } from "@video-to-json/schema";
import { compileShape } from "../dashboard/read-body.ts";
import type { RequestFields } from "./extract-request.ts";
import { checkNames, extractionMembers } from "./unknown-members.ts";

/** Reads the fields of an extraction from JSON members. The account's sandbox compiles the schema. */
export type JsonFieldReader = (
  sandbox: Pick<SchemaWork, "compile">,
  members: ReadonlyMap<string, RawMember>,
) => Promise<RequestFields>;

type Options = {
  /** Returns the JSON text of the schema. By default its text as the caller wrote it. */
  readonly schemaText?: (schema: RawMember) => string;
  /** Returns the JSON text of the clip. By default its text as the caller wrote it. */
  readonly clipText?: (clip: RawMember) => string;
  /** What a member is, for a message about an unknown one. */
  readonly kind?: string;
  /** Members that the caller of the reader reads. */
  readonly others?: readonly string[];
};

/**
 * Creates the reader of JSON bodies of `POST /v1/extract` and of the arguments of the MCP tool. The schema's text is
 * kept as the caller wrote it: parsing would lose `0.0`, the order of keys and duplicate keys. The reader treats null as
 * not sent. The reader throws invalid_request or schema_invalid.
 */
export function createJsonFieldReader({
  schemaText = rawText,
  clipText = rawText,
  kind = "a member of the request",
  others = [],
}: Options = {}): JsonFieldReader {
  const { video_url, instructions } = ExtractJson.properties;
  // Only the types are checked here. `validateRequest` checks presence, in its order.
  const properties = { video_url, instructions, detail: { type: "string" } };
  const hasRightTypes = compileShape({ type: "object", properties }, { uri: true });

  return async (sandbox, members) => {
    const names = [...members.keys()].filter((name) => !others.includes(name));
    const unknown = checkNames(names, extractionMembers, kind);
    const fields: Record<string, unknown> = {};
    for (const name of ["video_url", "instructions", "detail"]) {
      const member = members.get(name);
      if (member && member.value !== null) fields[name] = member.value;
    }
    if (!hasRightTypes(fields)) {
      const details = (hasRightTypes.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
      throw new Problem("invalid_request", { reason: "A field has the wrong type. Send strings." }, { details });
    }
    const schema = members.get("schema");
    const clip = members.get("clip");
    return {
      schema: schema && (await sandbox.compile(schemaText(schema))),
      videoUrl: fields.video_url as string | undefined,
      instructions: fields.instructions as string | undefined,
      clip: clip && clip.value !== null ? clipText(clip) : undefined,
      detail: fields.detail as string | undefined,
      upload: undefined,
      hasFile: false,
      unknown,
    };
  };
}

function rawText({ raw }: RawMember): string {
  return raw;
}
