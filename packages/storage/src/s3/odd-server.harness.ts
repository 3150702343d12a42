import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { serveLocally } from "@video-to-json/testing";

/** Answers a request instead of the server. Returns false to let it through. */
type Answer = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A proxy before an S3 server that answers some requests differently. */
export type OddServer = AsyncDisposable & {
  readonly endpoint: string;
  /** All requests so far: method and path with query. */
  readonly requests: readonly string[];
  answer: Answer | undefined;
};

/** Starts the proxy. Requests keep their `Host`, so their signatures stay valid. */
export async function startOddServer(behind: string): Promise<OddServer> {
  const requests: string[] = [];
  const odd: { answer: Answer | undefined } = { answer: undefined };
  const target = new URL(behind);
  const server = await serveLocally((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (odd.answer?.(incoming, response)) return;
    const { method = "GET", url: path = "/", headers } = incoming;
    const passed = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  return {
    endpoint: server.url,
    requests,
    get answer() {
      return odd.answer;
    },
    set answer(answer) {
      odd.answer = answer;
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

export function refuse(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>odd</Message></Error>`);
  return true;
}
