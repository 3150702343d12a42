import type { Detail } from "@video-to-json/contract";
import type { JsonNode } from "../json/json-node.ts";
import { parseJson } from "../json/parse-json.ts";
import { type Dialect, printJson } from "../json/print-json.ts";

type Clip = { readonly start?: string | undefined; readonly end?: string | undefined };

/** The request that the code makes. */
export type SnippetRequest = {
  /** The API's address, without a slash at the end. */
  readonly baseUrl: string;
  readonly video: { readonly kind: "file"; readonly name: string } | { readonly kind: "url"; readonly url: string };
  /** The schema as it is written. */
  readonly schema: string;
  readonly instructions: string;
  /** The part of the video to look at; all of it without. */
  readonly clip?: Clip | undefined;
  /** How closely to look; as usual without. */
  readonly detail?: Detail | undefined;
  /** Whether a doubtful schema runs. A bare HTTP request runs it in any case. */
  readonly acceptWarnings?: boolean;
  /** Whether the request asks for evidence of the answer. */
  readonly evidence?: boolean;
};

/** The languages and tools of the code. */
export const snippetLanguages = ["curl", "typescript", "python", "mcp"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

const writers = { curl, typescript, python, mcp } satisfies Record<
  SnippetLanguage,
  (request: SnippetRequest) => string
>;

/** Returns code that makes a request. The code reads the API key from the environment and never contains it. */
export function snippet(language: SnippetLanguage, request: SnippetRequest): string {
  return writers[language](request);
}

function curl({ baseUrl, video, schema, instructions, clip, detail, evidence = false }: SnippetRequest): string {
  const node = parsed(schema);
  const lines = [
    `curl ${baseUrl}/v1/extract`,
    `-H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    ...(evidence ? [`-H "Extract-Evidence: fields"`] : []),
    `--form-string ${shellQuoted(`schema=${node ? printJson(node, 0) : schema}`)}`,
    ...(instructions ? [`--form-string ${shellQuoted(`instructions=${instructions}`)}`] : []),
    ...(clip ? [`--form-string ${shellQuoted(`clip=${JSON.stringify(clip)}`)}`] : []),
    ...(detail ? [`--form-string ${shellQuoted(`detail=${detail}`)}`] : []),
    video.kind === "file"
      ? `-F ${shellQuoted(`video=@"${video.name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`)}`
      : `--form-string ${shellQuoted(`video_url=${video.url}`)}`,
  ];
  return lines.join(" \\\n  ");
}

function typescript(request: SnippetRequest): string {
  const { baseUrl, video, schema, instructions, clip, detail, acceptWarnings, evidence = false } = request;
  const given = [
    video.kind === "file" ? `video: ${JSON.stringify(video.name)},` : `videoUrl: ${JSON.stringify(video.url)},`,
    `schema: ${indented(literal(schema, javascriptDialect))},`,
    ...(instructions ? [`instructions: ${JSON.stringify(instructions)},`] : []),
    ...(clip ? [`clip: ${JSON.stringify(clip)},`] : []),
    ...(detail ? [`detail: ${JSON.stringify(detail)},`] : []),
    ...(acceptWarnings ? ["acceptWarnings: true,"] : []),
    ...(evidence ? ["evidence: true,"] : []),
  ];
  const result = evidence ? "{ id, data }" : "{ data }";
  return `import { createClient } from "video-to-json";

// The key is read from VIDEO_TO_JSON_API_KEY.
const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });

const ${result} = await client.extract({
${given.map((line) => `  ${line}`).join("\n")}
});

console.log(data);
${evidence ? "console.log(await client.evidence(id));\n" : ""}`;
}

function python(request: SnippetRequest): string {
  const { baseUrl, video, schema, instructions, clip, detail, acceptWarnings, evidence = false } = request;
  const given = [
    `video=${JSON.stringify(video.kind === "file" ? video.name : video.url)},`,
    `schema=${indented(literal(schema, pythonDialect), 8)},`,
    ...(instructions ? [`instructions=${JSON.stringify(instructions)},`] : []),
    ...(clip ? [`clip=${JSON.stringify(clip)},`] : []),
    ...(detail ? [`detail=${JSON.stringify(detail)},`] : []),
    ...(acceptWarnings ? ["accept_warnings=True,"] : []),
    ...(evidence ? ["evidence=True,"] : []),
  ];
  return `from video_to_json import Client

# The key is read from VIDEO_TO_JSON_API_KEY.
with Client(base_url=${JSON.stringify(baseUrl)}) as client:
    answer = client.extract(
${given.map((line) => `        ${line}`).join("\n")}
    )
${evidence ? "    evidence = client.evidence(answer.id)\n" : ""}
print(answer.data${evidence ? ", evidence.fields" : ""})
`;
}

function mcp(request: SnippetRequest): string {
  const { video, schema, instructions, clip, detail, acceptWarnings, evidence = false } = request;
  const node = parsed(schema);
  const url = video.kind === "url" ? video.url : `https://example.com/${encodeURIComponent(video.name)}`;
  const members = [
    `"video_url": ${JSON.stringify(url)}`,
    `"schema": ${node ? indented(printJson(node, 2), 4) : JSON.stringify(schema)}`,
    ...(instructions ? [`"instructions": ${JSON.stringify(instructions)}`] : []),
    ...(clip ? [`"clip": ${JSON.stringify(clip)}`] : []),
    ...(detail ? [`"detail": ${JSON.stringify(detail)}`] : []),
    ...(acceptWarnings ? [`"accept_warnings": true`] : []),
  ];
  return `{
  "name": "extract",
  "arguments": {
${members.map((member) => `    ${member}`).join(",\n")}
  }${evidence ? ',\n  "_meta": { "video-to-json/evidence": "fields" }' : ""}
}
`;
}

const javascriptDialect: Dialect = {
  null: "null",
  true: "true",
  false: "false",
  // JavaScript turns 0.0 into 0, which asks for an integer. The type word asks for the same type as the literal.
  number: (number) => (/^-?\d+\.0+$/.test(number) ? '"number"' : number),
  key: (key) => (/^[A-Za-z_$][\w$]*$/.test(key) && key !== "__proto__" ? key : JSON.stringify(key)),
};

const pythonDialect: Dialect = {
  null: "None",
  true: "True",
  false: "False",
  number: (number) => number,
  key: (key) => JSON.stringify(key),
};

function literal(schema: string, dialect: Dialect): string {
  const node = parsed(schema);
  return node ? printJson(node, 2, dialect) : JSON.stringify(schema);
}

function parsed(schema: string): JsonNode | undefined {
  try {
    return parseJson(schema);
  } catch {
    return undefined;
  }
}

function indented(text: string, by = 2): string {
  return text.replaceAll("\n", `\n${" ".repeat(by)}`);
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
