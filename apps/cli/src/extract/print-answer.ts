import { readMembers } from "@video-to-json/schema-input";
import type { Extraction } from "video-to-json";
import type { Io } from "../io.ts";
import { oneLine, prettyJson } from "../json/pretty-json.ts";
import { clockText } from "../progress/amounts.ts";
import { writeJson } from "../terminal/write-json.ts";

type Options = { json: boolean };

/** Prints the data over several lines, or with `json` the whole response on one line. Keeps every JSON literal. */
export function printAnswer(
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  answer: Extraction<unknown>,
  { json }: Options,
): void {
  if (json) {
    writeJson(stdout, oneLine(answer.json));
    return;
  }
  writeJson(stdout, prettyJson(readMembers(answer.json).get("data")?.raw ?? "null"));
  const { video, billed_seconds: billed, id, replayed } = answer;
  const charge = replayed ? "already charged, not charged again" : `${billed} s charged`;
  stderr.write(`${clockText(video.duration_seconds * 1000)} of video, ${charge}; job ${id}\n`);
}
