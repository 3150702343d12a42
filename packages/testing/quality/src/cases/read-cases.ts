import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Type from "typebox";
import { Check } from "typebox/value";
import type { Truth } from "./case.ts";
import type { Case } from "./make-case.ts";

const pointer = Type.String({ pattern: "^(/[^/]*)*$" });
const value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const span = Type.Object({ startMs: Type.Number(), endMs: Type.Number() });
const item = Type.Object({
  span,
  times: Type.Record(Type.String(), Type.Number()),
  values: Type.Record(Type.String(), value),
  absent: Type.Array(Type.String()),
});
const endKey = Type.Union([Type.String(), Type.Null()]);
const OwnCase = Type.Object({
  schema: Type.Unknown(),
  durationMs: Type.Number({ minimum: 1 }),
  truth: Type.Object({
    values: Type.Array(Type.Object({ pointer, value })),
    times: Type.Array(Type.Object({ pointer, ms: Type.Number(), span })),
    lists: Type.Array(Type.Object({ pointer, startKey: Type.String(), endKey, items: Type.Array(item) })),
    absent: Type.Array(pointer),
  }),
});

/**
 * Reads the cases of a directory: `<name>.json` with `schema`, `durationMs` and `truth`, and the video `<name>.mp4` beside it.
 * Throws an error that names the file that is missing or has another form.
 */
export function readCases(directory: string): Case[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(".json"));
  if (files.length === 0) throw new Error(`${directory} has no case: no file ends with .json.`);
  return files.sort().map((file) => {
    const path = join(directory, file);
    const videoPath = path.replace(/json$/, "mp4");
    const own: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!Check(OwnCase, own)) throw new Error(`${path} is not a case: it has schema, durationMs and truth.`);
    if (!existsSync(videoPath)) throw new Error(`${path} has no video: ${videoPath} is missing.`);
    const { schema, durationMs, truth } = own;
    return {
      id: file.slice(0, -".json".length),
      schema,
      durationMs,
      truth: truth satisfies Truth,
      video: () => readFile(videoPath),
    };
  });
}
