import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sampleEvidence } from "../audit/sample-evidence.ts";
import type { Outcome } from "./call.ts";
import { send } from "./send.ts";

/** What a client of the MCP tool makes of a reply, the only one in its stream. */
async function outcomeOf(reply: object): Promise<Outcome> {
  const server = createServer((request, response) => {
    const answer = () =>
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply })}\n\n`);
    request.resume().once("end", answer);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sending = { apiUrl, filesUrl: "", drop: undefined, pauseMs: 0, patienceMs: 60_000 };
  return send({ ...sampleEvidence().call, door: "mcp" }, sending);
}

test("an error of the protocol is an answer with its code, and so is a reply without a result", async () => {
  expect(await outcomeOf({ error: { code: -32_603, message: "x" } })).toMatchObject({ is: "answered", code: "-32603" });
  expect(await outcomeOf({})).toMatchObject({ is: "answered", code: "no result" });
});

test("an answer of the tool is its text, its structured content and its job; an error of it, its code", async () => {
  const content = [{ type: "text", text: '{"id":"j"}' }];
  const _meta = { "video-to-json/job": { id: "j" } };
  const success = { is: "answered", status: 200, jobId: "j", replayed: false, text: '{"id":"j"}' };
  expect(await outcomeOf({ result: { content, structuredContent: { id: "j" }, _meta } })).toEqual({
    ...success,
    code: undefined,
    structured: { id: "j" },
  });
  const failure = [{ type: "text", text: '{"error":{"code":"out_of_minutes"}}' }];
  expect(await outcomeOf({ result: { content: failure, isError: true } })).toMatchObject({ code: "out_of_minutes" });
});
