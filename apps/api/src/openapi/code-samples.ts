import { extraction, idempotencyKey, sketch } from "./samples.ts";

/** Code that calls an operation, as `x-codeSamples` of the interface description. */
export type CodeSample = { lang: string; label: string; source: string };

type Sources = { curl: string; typescript: string; python: string };

const sketchLine = `{ match: "string", goals: [{ at: "timestamp", team: "home|away", "player?": "string" }] }`;
const typescriptClient = `import { createClient } from "video-to-json";

const client = createClient({
  baseUrl: "{base_url}",
  apiKey: process.env.VIDEO_TO_JSON_API_KEY ?? "",
});
`;
const pythonClient = `from video_to_json import Client

client = Client(base_url="{base_url}")  # the key is in VIDEO_TO_JSON_API_KEY
`;
/** For operations that the Python package has no method for. httpx is installed with it. */
const pythonRequest = `import os

import httpx

headers = {"Authorization": f"Bearer {os.environ['VIDEO_TO_JSON_API_KEY']}"}
`;

/** Samples by `operationId`. `{base_url}` is the base address. An end-to-end test runs each of them. */
const sources: Readonly<Record<string, Sources>> = {
  extractVideo: {
    curl: `curl {base_url}/v1/extract \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY" \\
  -H "Idempotency-Key: ${idempotencyKey}" \\
  -F 'schema=${JSON.stringify(sketch)}' \\
  -F video=@final.mp4`,
    typescript: `${typescriptClient}
const { data } = await client.extract({
  video: "final.mp4",
  schema: ${sketchLine},
});

for (const { at, team, player } of data.goals) console.log(at, team, player ?? "unknown");`,
    python: `${pythonClient}
answer = client.extract(
    "final.mp4",
    {"match": "string", "goals": [{"at": "timestamp", "team": "home|away", "player?": "string"}]},
    idempotency_key="${idempotencyKey}",
)

for goal in answer.data["goals"]:
    print(goal["at"], goal["team"], goal.get("player", "unknown"))`,
  },
  listJobs: {
    curl: `curl "{base_url}/v1/jobs?limit=20&status=failed" \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `${typescriptClient}
const { jobs, next_cursor } = await client.jobs({ limit: 20, status: "failed" });
console.log(jobs.length, next_cursor);`,
    python: `${pythonClient}
page = client.jobs(limit=20, status="failed")
print(len(page.jobs), page.next_cursor)`,
  },
  deleteJob: {
    curl: `curl -X DELETE {base_url}/v1/jobs/${extraction.id} \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `const response = await fetch("{base_url}/v1/jobs/${extraction.id}", {
  method: "DELETE",
  headers: { authorization: \`Bearer \${process.env.VIDEO_TO_JSON_API_KEY}\` },
});
console.log(response.status);`,
    python: `${pythonClient}
client.delete_job("${extraction.id}")`,
  },
  getJob: {
    curl: `curl {base_url}/v1/jobs/${extraction.id} \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `${typescriptClient}
const { status, data } = await client.job("${extraction.id}");
console.log(status, data);`,
    python: `${pythonClient}
job = client.job("${extraction.id}")
print(job.status, job.data)`,
  },
  getEvidence: {
    curl: `curl {base_url}/v1/jobs/${extraction.id}/evidence \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `${typescriptClient}
const { fields } = await client.evidence("${extraction.id}");
for (const [pointer, { verdict, spans }] of Object.entries(fields)) console.log(pointer, verdict, spans[0]?.start_ms);`,
    python: `${pythonClient}
evidence = client.evidence("${extraction.id}")
for pointer, field in evidence.fields.items():
    print(pointer, field.verdict, [span.start_ms for span in field.spans])`,
  },
  getAccount: {
    curl: `curl {base_url}/v1/me \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `${typescriptClient}
const { minutes_remaining } = await client.account();
console.log(minutes_remaining);`,
    python: `${pythonClient}
print(client.account().minutes_remaining)`,
  },
  callMcp: {
    curl: `curl {base_url}/v1/mcp \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    typescript: `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "my-agent", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL("{base_url}/v1/mcp"), {
    requestInit: { headers: { Authorization: \`Bearer \${process.env.VIDEO_TO_JSON_API_KEY}\` } },
  }),
);

const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
await client.close();`,
    python: `${pythonRequest}headers["Accept"] = "application/json, text/event-stream"
message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
response = httpx.post("{base_url}/v1/mcp", headers=headers, json=message, timeout=600)
response.raise_for_status()
print(response.text)`,
  },
  getInterface: {
    curl: `curl {base_url}/v1/openapi.json \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY"`,
    typescript: `const response = await fetch("{base_url}/v1/openapi.json", {
  headers: { Authorization: \`Bearer \${process.env.VIDEO_TO_JSON_API_KEY}\` },
});
const { info } = (await response.json()) as { info: { version: string } };
console.log(info.version);`,
    python: `${pythonRequest}response = httpx.get("{base_url}/v1/openapi.json", headers=headers)
response.raise_for_status()
print(response.json()["info"]["version"])`,
  },
};

/** The address in samples while the document does not know the address of the service. */
const exampleAddress = "https://api.example.com";

/**
 * Returns the samples of an operation in curl, TypeScript and Python. `serverUrl` is the base address that callers use;
 * a relative one becomes an example, which the page at /docs replaces by its own address.
 */
export function codeSamples(operationId: string, serverUrl: string): CodeSample[] {
  const texts = sources[operationId];
  if (!texts) return [];
  const address = /^https?:/.test(serverUrl) ? serverUrl : exampleAddress;
  const sample = (lang: string, label: string, source: string): CodeSample => ({
    lang,
    label,
    source: source.replaceAll("{base_url}", address),
  });
  return [
    sample("Shell", "curl", texts.curl),
    sample("TypeScript", "TypeScript", texts.typescript),
    sample("Python", "Python", texts.python),
  ];
}
