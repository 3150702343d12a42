import {
  type Clip,
  type CompleteLists,
  type Detail,
  details,
  type Limits,
  Problem,
  type SecondLook,
  schemaInvalid,
  timestampSeconds,
} from "@video-to-json/contract";
import { checkVideoUrl } from "@video-to-json/media/address";
import { type CompiledSchema, impossibleWarning, readMembers, type SchemaWarning } from "@video-to-json/schema";

/** A valid request for an extraction, from any endpoint and in any body type. */
export type ExtractRequest = {
  /** The id of the new job, if the request becomes one. An upload is in storage under this id. */
  id: string;
  schema: CompiledSchema;
  instructions: string | null;
  /** The name of the uploaded file. None by default. */
  title?: string | undefined;
  video: { url: string } | { upload: Upload };
  /** The part of the video to look at; null for the whole video. */
  clip: Clip | null;
  detail: Detail;
  /** Whether the answer gets evidence. False by default. */
  wantsEvidence?: boolean;
  /** Whether its times get a second look. The setting of the worker by default. */
  secondLook?: SecondLook | undefined;
  /** Whether its lists of moments are completed. The setting of the worker by default. */
  completeLists?: CompleteLists | undefined;
  /** Doubts about the schema, and the members that have no effect. None by default. */
  warnings?: readonly SchemaWarning[];
  /** The network that it came from. */
  callerNetwork?: string | undefined;
  /** The id of the HTTP request, for the log of the worker. */
  requestId?: string | undefined;
};

/** A video file in storage. */
export type Upload = { bytes: number; sha256: string };

/** The fields of a request before they are validated. */
export type RequestFields = {
  schema: CompiledSchema | undefined;
  instructions: string | undefined;
  videoUrl: string | undefined;
  /** The JSON text of the clip. */
  clip: string | undefined;
  detail: string | undefined;
  upload: Upload | undefined;
  /** The name that the client gave its file. */
  fileName?: string | undefined;
  /** The caller sent a file. It is not stored if a URL came before it. */
  hasFile: boolean;
  /** A warning for each unknown member. */
  unknown: readonly SchemaWarning[];
};

export type ValidationRules = {
  readonly limits: Pick<Limits, "maxInstructionsCharacters">;
  readonly fetchAllowHosts: readonly string[];
};

/** Whether a doubt about the schema is a reason to refuse it (docs/decisions/0001, "Sketch guards"). */
type Strictness = { isStrict: boolean };

/**
 * Validates the fields of a request, whose schema has been compiled: first the schema, then the video, then the rest
 * (docs/decisions/0001, "Order of checks"). Returns the request of the job `id`. Throws schema_missing, schema_invalid,
 * video_missing, invalid_request or video_unreachable.
 */
export function validateRequest(
  rules: ValidationRules & Strictness,
  id: string,
  fields: RequestFields,
): ExtractRequest {
  const { schema, upload, hasFile } = fields;
  const videoUrl = fields.videoUrl?.trim() || undefined;
  if (!schema) throw new Problem("schema_missing", {});
  const doubts = [...impossibleWarning(schema), ...(schema.warnings ?? [])];
  if (rules.isStrict && doubts.length > 0) throw schemaInvalid([...doubts.map(detailOf), toAccept]);
  if (hasFile && videoUrl) {
    throw new Problem("invalid_request", { reason: "The request has both `video` and `video_url`. Send one of them." });
  }
  if (!upload && !videoUrl) throw new Problem("video_missing", { accepted: "file or URL" });
  const instructions = validateInstructions(rules, fields.instructions);
  const warnings = [...doubts, ...fields.unknown];
  const asked = { id, schema, instructions, clip: readClip(fields.clip), detail: readDetail(fields.detail), warnings };
  if (upload) return { ...asked, title: titleOf(fields.fileName), video: { upload } };
  const { href } = checkVideoUrl(videoUrl ?? "", { allowHosts: rules.fetchAllowHosts });
  return { ...asked, video: { url: href } };
}

const maxTitleLength = 200;

/** Returns a file name without characters that cannot be shown, and not too long to be; undefined if nothing is left. */
function titleOf(fileName: string | undefined): string | undefined {
  return [...(fileName ?? "").replace(/\p{C}/gu, "").trim()].slice(0, maxTitleLength).join("") || undefined;
}

const toAccept =
  ": To run the schema as it is written, send the request without `Prefer: handling=strict`, or accept the warnings: `accept_warnings` of the MCP tool, `acceptWarnings` of the SDK, `--accept-warnings` of the command line.";

function detailOf({ path, message, hint }: SchemaWarning): string {
  return `${path}: ${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
}

function validateInstructions({ limits }: ValidationRules, instructions: string | undefined): string | null {
  if (!instructions) return null;
  const { maxInstructionsCharacters: max } = limits;
  if ([...instructions].length > max) {
    throw new Problem("invalid_request", {
      reason: `\`instructions\` are longer than ${max} characters. Shorten them.`,
    });
  }
  if (instructions.includes("\0")) {
    throw new Problem("invalid_request", { reason: "`instructions` contain a NUL character. Remove it." });
  }
  return instructions;
}

/**
 * Reads the JSON text of `clip`. Returns null, which is the whole video, for a clip without bounds and for a missing
 * text. A later step checks whether the clip is within the video. Throws invalid_request.
 */
export function readClip(text: string | undefined): Clip | null {
  if (!text?.trim()) return null;
  const members = membersOf(text);
  for (const name of members.keys()) {
    if (name !== "start" && name !== "end") throw invalidClip("has other members than `start` and `end`. Remove them.");
  }
  const startSeconds = secondsOf("start", members.get("start")?.value) ?? 0;
  const endSeconds = secondsOf("end", members.get("end")?.value);
  if (endSeconds !== null && endSeconds <= startSeconds)
    throw invalidClip("ends before it has begun. Give a later end.");
  return startSeconds === 0 && endSeconds === null ? null : { startSeconds, endSeconds };
}

/** Reads `detail`. Throws invalid_request. */
export function readDetail(text: string | undefined): Detail {
  const word = text?.trim() || "standard";
  const detail = details.find((one) => one === word);
  if (detail) return detail;
  throw new Problem("invalid_request", {
    reason: `\`detail\` is not one of the words ${details.join(", ")}. Send one of them.`,
  });
}

function membersOf(text: string): ReturnType<typeof readMembers> {
  try {
    const members = readMembers(text, { maxValues: 10 });
    return new Map([...members].filter(([, { value }]) => value !== null));
  } catch {
    throw invalidClip(
      'is not a JSON object with one `start`, one `end`, or both. Send {"start":"MM:SS","end":"MM:SS"}.',
    );
  }
}

function secondsOf(name: string, value: unknown): number | null {
  if (value === undefined) return null;
  const seconds = typeof value === "string" ? timestampSeconds(value) : undefined;
  if (seconds !== undefined) return seconds;
  throw invalidClip(`has a \`${name}\` that is not MM:SS. Write two digits each, such as "01:05".`);
}

function invalidClip(fault: string): Problem {
  return new Problem("invalid_request", { reason: `\`clip\` ${fault}` });
}
