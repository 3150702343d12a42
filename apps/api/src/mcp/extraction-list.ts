import { jobRecordMembers, jsonObjectText } from "@video-to-json/contract";
import type { JobWithData } from "@video-to-json/database";

/** The largest size of a list, in bytes. A host shows the whole result to a model, and refuses longer ones. */
export const maxListBytes = 60_000;

/**
 * Returns a list of extractions as JSON text of at most `maxListBytes`: records without schema and instructions, and
 * `truncated` where records were left out (docs/decisions/0001, "MCP"). The first record is always there, without its data
 * if that is too long.
 */
export function extractionListText(rows: readonly JobWithData[]): string {
  const texts: string[] = [];
  let bytes = Buffer.byteLength(listText([], true));
  let isTruncated = false;
  for (const row of rows) {
    const isShort = hasItsData(row) && bytes + lengthOf(recordText(row)) <= maxListBytes;
    isTruncated ||= !isShort;
    if (!isShort && texts.length > 0) break;
    texts.push(recordText(row, isShort));
    bytes += lengthOf(texts.at(-1) ?? "");
  }
  return listText(texts, isTruncated);
}

/** The query leaves out data that cannot fit. */
function hasItsData({ status, dataText }: JobWithData): boolean {
  return status !== "succeeded" || dataText !== null;
}

function recordText(row: JobWithData, withData = true): string {
  const { schema, instructions, data, ...members } = jobRecordMembers({ ...row, schemaText: "", instructions: null });
  return jsonObjectText(withData ? { ...members, data } : members);
}

/** The comma after the record counts too. */
function lengthOf(record: string): number {
  return Buffer.byteLength(record) + 1;
}

function listText(records: readonly string[], isTruncated: boolean): string {
  return `{"extractions":[${records.join(",")}]${isTruncated ? ',"truncated":true' : ""}}`;
}
