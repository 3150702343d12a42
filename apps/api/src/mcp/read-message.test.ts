import { expect, onTestFinished, test, vi } from "vitest";
import { readMessage as readWithin } from "./read-message.ts";

const readMessage = (text: string) => readWithin(text, 1_000_000);

const call = (args: string, more = "") =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"extract","arguments":${args}${more}}}`;
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("an argument keeps its text at any depth, and the library never sees it", () => {
  const schema = `{"10": 0.0, "2": 1e3, "a":${deep(100_000)}}`;
  const message = readMessage(call(`{ "schema" : ${schema} , "video_url":"u"}`));
  expect(message.tool).toBe("extract");
  expect(message.arguments?.get("schema")?.raw).toBe(schema);
  expect(message.body).toEqual({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "extract", arguments: {} },
  });
});

test("missing arguments and null count as no arguments, and other values must be an object", () => {
  expect(readMessage('{"method":"tools/call","params":{"name":"extract"}}').arguments?.size).toBe(0);
  expect(readMessage(call("null")).arguments?.size).toBe(0);
  for (const wrong of ["[]", '"text"', "1"]) expect(readMessage(call(wrong)).arguments).toBeUndefined();
});

test("messages of other methods are passed on unchanged", () => {
  const text = '{"jsonrpc":"2.0","id":"a","method":"other","params":{"arguments":{"a":1}}}';
  expect(readMessage(text)).toMatchObject({ body: JSON.parse(text), tool: undefined });
});

test.each([
  ["invalid JSON", "{", -32_700],
  ["an empty body", "", -32_700],
  ["a batch", "[]", -32_600],
  ["a text", '"a"', -32_600],
  ["null", "null", -32_600],
  ["a member twice", '{"id":1,"id":2}', -32_600],
  ["an argument twice", call('{"schema":{},"schema":{}}'), -32_600],
  ["depth elsewhere", call("{}", `,"_meta":${deep(65)}`), -32_600],
  ["initialize without params", '{"id":1,"method":"initialize"}', -32_602],
  [
    "initialize with `_meta` and without a client name",
    '{"id":1,"method":"initialize","params":{"_meta":{},"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"version":"1"}}}',
    -32_602,
  ],
  [
    "initialize without a client name",
    '{"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{}}}',
    -32_602,
  ],
  ["a call without params", '{"id":1,"method":"tools/call"}', -32_602],
  ["a call whose tool name is a number", '{"id":1,"method":"tools/call","params":{"name":1}}', -32_602],
  ["a progress token that is too long", call("{}", `,"_meta":{"progressToken":"${"x".repeat(1025)}"}`), -32_602],
  ["depth in another method", `{"method":"ping","params":${deep(65)}}`, -32_600],
])("%s is refused", (_name, text, code) => {
  expect(() => readMessage(text)).toThrow(expect.objectContaining({ status: 400, code }));
});

test("a progress token of 1024 characters, or a number, is passed on", () => {
  for (const token of ["x".repeat(1024), 1]) {
    const { body } = readMessage(call("{}", `,"_meta":{"progressToken":${JSON.stringify(token)}}`));
    expect(body.params).toMatchObject({ _meta: { progressToken: token } });
  }
});

/** Returns how many characters `run` parses. */
function countParsed(run: () => unknown): number {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  run();
  return parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
}

test("a message is parsed once, however deep the arguments are", () => {
  const text = call(`{"video_url":"u","schema":{"a":"${"x".repeat(1000)}"}}`, ',"_meta":{"a":[1]}');
  expect(countParsed(() => readMessage(text))).toBe(text.length);
});

test("a message with too many values is refused before any of it is parsed", () => {
  const text = call(`{"schema":[${"0,".repeat(90)}0]}`);
  expect(readWithin(text, 99).tool).toBe("extract");
  const refused = () =>
    expect(() => readWithin(text, 98)).toThrow(expect.objectContaining({ status: 400, code: -32_600 }));
  expect(countParsed(refused)).toBe(0);
});
