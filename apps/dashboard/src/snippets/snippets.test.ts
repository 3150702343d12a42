import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { type SnippetRequest, snippet, snippetLanguages } from "./snippets.ts";

const request: SnippetRequest = {
  baseUrl: "https://api.example.com",
  video: { kind: "file", name: `it's "final", v2.mp4` },
  schema: '{ "it\'s": "string", "10": 0, "2": 0.0, "live": true }',
  instructions: "Count $HOME; don't guess",
};

test("a shell passes what curl sends unchanged, whatever the texts contain", () => {
  const code = snippet("curl", request).replace("curl", "printf '%s\\n'");
  const words = execFileSync("sh", ["-c", code], { encoding: "utf8", env: {} }).split("\n");
  expect(words).toContain(`schema={"it's":"string","10":0,"2":0.0,"live":true}`);
  expect(words).toContain("instructions=Count $HOME; don't guess");
  expect(words).toContain('video=@"it\'s \\"final\\", v2.mp4"');
});

test("TypeScript asks for a number where the sketch writes 0.0, because JavaScript makes 0 of it", () => {
  const code = snippet("typescript", request);
  expect(code).toContain('"10": 0,');
  expect(code).toContain('"2": "number",');
  expect(code).toContain("live: true");
});

test("Python gets its own words", () => {
  const code = snippet("python", { ...request, schema: '{"a":[true,null],"b":0.0}' });
  expect(code).toContain("True,");
  expect(code).toContain("None");
  expect(code).toContain('"b": 0.0');
});

test("an MCP call is JSON with the schema in its order", () => {
  const code = snippet("mcp", { ...request, video: { kind: "url", url: "https://x.example/a.mp4" } });
  expect(JSON.parse(code)).toMatchObject({ name: "extract", arguments: { video_url: "https://x.example/a.mp4" } });
  expect(code.indexOf('"10"')).toBeLessThan(code.indexOf('"2"'));
});

test("after a run with accepted warnings, the code for strict clients accepts them too", () => {
  const accepted = { ...request, acceptWarnings: true };
  expect(snippet("typescript", accepted)).toContain("acceptWarnings: true,");
  expect(snippet("python", accepted)).toContain("accept_warnings=True,");
  expect(JSON.parse(snippet("mcp", accepted))).toMatchObject({ arguments: { accept_warnings: true } });
  for (const language of snippetLanguages) expect(snippet(language, request)).not.toMatch(/accept/i);
});

test("every language asks for the clip and the detail of the run, and for neither where the run did not", () => {
  const look = { ...request, clip: { start: "00:02", end: "01:00" }, detail: "high" } as const;
  expect(snippet("curl", look)).toContain(`--form-string 'clip={"start":"00:02","end":"01:00"}'`);
  expect(snippet("curl", look)).toContain("--form-string 'detail=high'");
  expect(snippet("typescript", look)).toContain('clip: {"start":"00:02","end":"01:00"},\n  detail: "high",');
  expect(snippet("python", look)).toContain('clip={"start":"00:02","end":"01:00"},\n        detail="high",');
  expect(JSON.parse(snippet("mcp", look))).toMatchObject({ arguments: { clip: look.clip, detail: "high" } });
  for (const language of snippetLanguages) expect(snippet(language, request)).not.toMatch(/clip|detail/);
});

test("a key is in no snippet", () => {
  for (const language of ["curl", "typescript", "python", "mcp"] as const) {
    expect(snippet(language, request)).not.toMatch(/_live_/);
  }
});
