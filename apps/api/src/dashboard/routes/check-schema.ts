import { Problem } from "@video-to-json/contract";
import { type SchemaCheck, type SchemaRemark, SchemaText } from "@video-to-json/contract/dashboard/jobs";
import { findPlace, impossibleWarning, isSketch, type SchemaSandbox, schemaWarnings } from "@video-to-json/schema";
import { createBodyReader, type ReadBodyDeps } from "../read-body.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = ReadBodyDeps & { readonly sandbox: Pick<SchemaSandbox, "forAccount"> };

/** For a longer text, the search for doubts would delay other requests. */
const maxDoubtfulCharacters = 16 * 1024;

/**
 * `POST schema/check`: checks a schema while a person writes it. Compiles it in the sandbox of the account, as an
 * extraction does.
 */
export const checkSchemaRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/schema/check",
  handle: (deps) => {
    const readBody = createBodyReader(deps, SchemaText);
    return async (request, response) => {
      const { schema: text } = await readBody(request, response);
      const { accountId } = accountOf(response);
      const outcome = await deps.sandbox
        .forAccount(accountId)
        .compile(text)
        .catch((error: unknown) => {
          if (error instanceof Problem && error.code === "schema_invalid") return error;
          throw error;
        });
      const isFaulty = outcome instanceof Problem;
      const impossible = isFaulty ? [] : impossibleWarning(outcome);
      const doubts = [...impossible, ...(text.length > maxDoubtfulCharacters ? [] : schemaWarnings(text))];
      response.json({
        kind: isSketch(text) ? "sketch" : "json_schema",
        json_schema: isFaulty ? null : outcome.fullText,
        warnings: doubts.map(({ path, message, hint }) => remark(text, path, `${message} If not: ${hint}`)),
        errors: isFaulty ? (outcome.details ?? []).map((detail) => remarkOf(text, detail)) : [],
      } satisfies SchemaCheck);
    };
  },
};

/** Turns a detail, `<JSON pointer>: <reason>`, into a remark. A pointer may contain `: ` only where a key does. */
function remarkOf(text: string, detail: string): SchemaRemark {
  const at = detail.indexOf(": ");
  return remark(text, detail.slice(0, at), detail.slice(at + 2));
}

/** For a longer text, the search for places would delay other requests. */
const maxPlacedCharacters = 64 * 1024;

function remark(text: string, pointer: string, reason: string): SchemaRemark {
  const line = /^line (\d+), column (\d+): /.exec(reason);
  if (text.length > maxPlacedCharacters) return { pointer, reason, place: null };
  const place = line ? placeAt(text, Number(line[1]), Number(line[2])) : findPlace(text, pointer);
  return { pointer, reason, place: place ?? null };
}

/** The place of a fault in a text that is not JSON: a single character, or the end of the text. */
function placeAt(text: string, line: number, column: number): { from: number; to: number } {
  const before = text.split("\n").slice(0, line - 1);
  const from = before.reduce((length, { length: more }) => length + more + 1, 0) + column - 1;
  return { from: Math.min(from, text.length), to: Math.min(from + 1, text.length) };
}
