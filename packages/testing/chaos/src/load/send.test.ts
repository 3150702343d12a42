import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sampleEvidence } from "../audit/evidence.fixture.ts";
import type { Outcome } from "./call.ts";
import { send } from "./send.ts";

/** Sends an MCP call to a server with one reply. Returns the outcome. */
async function outcomeOf(reply: object): Promise<Outcome> {
  const server = createServer((request, response) => {
    const answer = () =>
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply })}\n\n`);
    request.resume().once("end", answer);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sending = { apiUrl, filesUrl: "", drop: undefined, pauseMs: 0, timeoutMs: 60_000 };
  return send({ ...sampleEvidence().call, entryPoint: "mcp" }, sending);
}

test("a protocol error and a reply without a result are error responses with a code", async () => {
  expect(await outcomeOf({ error: { code: -32_603, message: "x" } })).toMatchObject({ is: "answered", code: "-32603" });
  expect(await outcomeOf({})).toMatchObject({ is: "answered", code: "no result" });
});

test("the outcome of the tool has its text, structured content and job, or its error code", async () => {
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
