import { VideoToJsonParseError } from "../errors/video-to-json-parse-error.ts";
import type { Extraction } from "./extract-request.ts";
import type { StandardIssue, StandardProperties } from "./standard-schema.ts";

/**
 * Returns the answer with the data that the library's schema returns for it. Throws VideoToJsonParseError if the schema
 * refuses the data.
 */
export async function parseData(
  answer: Extraction<unknown>,
  parser: StandardProperties | undefined,
): Promise<Extraction<unknown>> {
  if (!parser?.validate) return answer;
  const { data, json, id: jobId } = answer;
  const about = `The ${parser.vendor} schema does not accept the data of job ${jobId}`;
  const result = await callValidate(() => parser.validate?.(data)).catch((cause) => {
    throw new VideoToJsonParseError(`${about}: it threw an error.`, { issues: [], data, json, jobId, cause });
  });
  if (result?.issues) {
    const { issues } = result;
    throw new VideoToJsonParseError(`${about}: ${issues.map(issueText).join("; ")}`, { issues, data, json, jobId });
  }
  return Object.defineProperty({ ...answer, data: result?.value }, "response", { value: answer.response });
}

const callValidate = async <T>(validate: () => T) => validate();

function issueText({ message, path = [] }: StandardIssue): string {
  const pointer = path.map((part) => `/${String(typeof part === "object" ? part.key : part)}`).join("");
  return pointer === "" ? message : `${pointer}: ${message}`;
}
