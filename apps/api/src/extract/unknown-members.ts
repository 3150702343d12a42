import { Problem } from "@video-to-json/contract";
import type { SchemaWarning } from "@video-to-json/schema";
import type { Request } from "express";
import { distance } from "fastest-levenshtein";

/** The members of a request, each with other names that callers give it, in lower case and without separators. */
type MemberNames = Readonly<Record<string, readonly string[]>>;

/** The members of an extraction as JSON and as the arguments of the MCP tool. */
export const extractionMembers = {
  schema: [
    ...["jsonschema", "outputschema", "responseschema", "responseformat", "outputformat", "structure", "sketch"],
    ...["inputschema", "fields", "output"],
  ],
  instructions: ["prompt", "systemprompt", "system", "context", "question", "query", "message", "task"],
  video_url: [
    ...["video", "url", "uri", "link", "src", "source", "href", "file", "fileurl", "videouri", "videolink"],
    ...["mediaurl", "media", "videopath", "path"],
  ],
  clip: [
    ...["clipstart", "clipend", "start", "end", "from", "to", "starttime", "endtime", "range", "segment", "trim"],
    ...["timerange", "startseconds", "endseconds", "startoffset", "endoffset"],
  ],
  detail: ["quality", "resolution", "detaillevel", "mediaresolution"],
} as const satisfies MemberNames;

/** The fields of a form: a file too. */
export const formFields = {
  ...extractionMembers,
  video: ["file", "videofile", "upload", "media", "movie"],
} as const satisfies MemberNames;

/** The query parameters of a list of jobs. */
export const listParameters = {
  limit: ["perpage", "pagesize", "size", "count", "max", "first"],
  cursor: ["offset", "page", "after", "before", "nextcursor", "pagetoken", "skip"],
  status: ["state", "filter"],
} as const satisfies MemberNames;

const maxNamed = 20;
/** HTTP libraries send an object field by field: `schema[title]` or `clip.start`. */
const partOfObject = /^(schema|clip)(?:\.|\[[^\]])/;

/**
 * Refuses the names that all but certainly mean another member: a misspelt `clip` must not bill the whole video
 * (docs/decisions/0001, "Unknown members"). Returns the other unknown names, each as a warning.
 *
 * @param what what a name is not, such as "a form field".
 * @throws Problem invalid_request with the right name.
 */
export function checkNames(given: Iterable<string>, known: MemberNames, what: string): SchemaWarning[] {
  const unknown = [...given].filter((name) => !Object.hasOwn(known, name));
  for (const name of unknown) {
    const [, whole] = partOfObject.exec(name) ?? [];
    if (whole !== undefined && Object.hasOwn(known, whole))
      throw misnamed(name, `not ${what}. Send the whole object as \`${whole}\`, in a form as JSON text`);
    const right = rightName(name, known);
    if (right !== undefined) throw misnamed(name, `not ${what}. Write \`${right}\``);
  }
  return unknown.slice(0, maxNamed).map((name) => ({
    path: "",
    message: `\`${shown(name)}\` is not ${what}, and has no effect.`,
    hint: "leave it out",
  }));
}

/** Checks the query of an extraction, whose members are parts of the body. Like `checkNames`. */
export function checkQuery(request: Request): SchemaWarning[] {
  const names = Object.keys(request.query);
  const member = names.find((name) => Object.hasOwn(formFields, name));
  if (member !== undefined) throw misnamed(member, "sent as a query parameter. Send it in the body");
  return checkNames(names, formFields, "a query parameter");
}

function misnamed(name: string, fault: string): Problem {
  return new Problem("invalid_request", { reason: `\`${shown(name)}\` is ${fault}.` });
}

/** Returns the member that a name means: written differently, a synonym, or within two letters. */
function rightName(name: string, known: MemberNames): string | undefined {
  const plain = simplified(name);
  const members = Object.keys(known);
  return (
    members.find((member) => simplified(member) === plain) ??
    members.find((member) => known[member]?.includes(plain)) ??
    members.find(
      (member) => Math.abs(plain.length - simplified(member).length) <= 2 && distance(plain, simplified(member)) <= 2,
    )
  );
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[-_\s[\].]/g, "");
}

function shown(name: string): string {
  return name.slice(0, 60);
}
