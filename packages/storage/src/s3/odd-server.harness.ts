import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { serveLocally } from "@video-to-json/testing";

/** Answers a request instead of the server. Returns false to let it through. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Starts a proxy before an S3 server. Requests keep their `Host`, so their signatures stay valid. */
export async function startOddServer(behind: string) {
  const odd = { answer: undefined as Answer | undefined, requests: [] as string[] };
  const target = new URL(behind);
  const server = await serveLocally((incoming, response) => {
    odd.requests.push(`${incoming.method} ${incoming.url}`);
    if (odd.answer?.(incoming, response)) return;
    const { method = "GET", url: path = "/", headers } = incoming;
    const passed = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  return Object.assign(odd, { endpoint: server.url, [Symbol.asyncDispose]: server[Symbol.asyncDispose] });
}

export type OddServer = Awaited<ReturnType<typeof startOddServer>>;

export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>odd</Message></Error>`);
  return true;
}
