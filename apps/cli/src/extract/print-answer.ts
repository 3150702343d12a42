import { secondLookText } from "@video-to-json/contract";
import { readMembers } from "@video-to-json/schema";
import type { Extraction } from "video-to-json";
import { CommandError } from "../exit/command-error.ts";
import type { Io } from "../io.ts";
import type { Results } from "../output/open-results.ts";
import { warningLine } from "../schema/compile-schema.ts";
import { clockText } from "../terminal.ts";

type Options = { json: boolean; quiet: boolean; evidence: boolean };

/**
 * Prints the data, or with `json` the whole response. Keeps every JSON literal. A summary follows on standard error.
 * Throws the error of the jq program or the file with the id of the job, which is charged.
 */
export async function printAnswer(
  { stderr }: Pick<Io, "stderr">,
  results: Results,
  answer: Extraction<unknown>,
  { json, quiet, evidence }: Options,
): Promise<void> {
  try {
    results.write(json ? answer.json : (readMembers(answer.json).get("data")?.raw ?? "null"));
    await results.finish();
  } catch (error) {
    throw withJob(error, answer.id);
  }
  if (quiet) return;
  const { warnings, secondLook } = answer;
  if (json && warnings.length > 0) stderr.write(`${JSON.stringify({ warnings })}\n`);
  if (json && secondLook) stderr.write(`${JSON.stringify({ second_look: secondLook })}\n`);
  if (json) return;
  for (const warning of warnings) stderr.write(warningLine(warning));
  stderr.write(`${summaryOf(answer)}\n`);
  if (answer.secondLook) stderr.write(`second look at the times: ${secondLookText(answer.secondLook)}\n`);
  if (evidence) stderr.write(`\`video-to-json job ${answer.id} --evidence\` prints the evidence\n`);
}

/** Prints the length of the video, its cost and its job. */
export function summaryOf({ video, billed_seconds: billed, id, replayed }: Extraction<unknown>): string {
  const charge = replayed ? "already charged, not charged again" : `${billed} s charged`;
  return `${clockText(video.duration_seconds * 1000)} of video, ${charge}; job ${id}`;
}

/** Adds advice to an error that happened after the answer was charged: how to read that answer again. */
export function withJob(error: unknown, id: string): unknown {
  if (!(error instanceof CommandError)) return error;
  const { code, message, exitCode, cause } = error;
  return new CommandError(code, `${message.replace(/\.?$/, ".")} \`video-to-json job ${id}\` shows the answer.`, {
    exitCode,
    cause,
  });
}
