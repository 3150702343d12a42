import type { IncomingMessage, ServerResponse } from "node:http";
import { serveLocally } from "@video-to-json/testing/running";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a loopback server. Each request gets the next handler, at the end the last one. Records all requests. */
export async function startFaultServer(...handlers: [Handler, ...Handler[]]) {
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: Buffer[] }[] = [];
  const server = await serveLocally((request, response) => {
    const { method = "", url = "", headers } = request;
    const body: Buffer[] = [];
    requests.push({ method, url, headers, body });
    request.on("data", (chunk: Buffer) => body.push(chunk)).on("error", () => {});
    const handler = handlers[requests.length - 1] ?? handlers.at(-1);
    handler?.(request, response);
  });
  return { ...server, requests, bodyOf: (index: number) => Buffer.concat(requests[index]?.body ?? []) };
}

export const answerText =
  '{"id":"8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11","data":{"b":1.0,"2":0},"video":{"duration_seconds":5.04},"billed_seconds":60}';

/** Answers after the whole request body has arrived. */
export function answers(text: string, status = 200, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    request.on("end", () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(text));
  };
}

/** Answers with an Error body after the whole request body has arrived. */
export function refuses(status: number, code: string, headers: Record<string, string> = {}): Handler {
  return answers(JSON.stringify({ error: { code, message: `It is ${code}.` } }), status, headers);
}

/** Cuts the connection: at once, after a number of bytes, or after the whole request body. */
export function cuts(when: "at once" | "after everything" | number): Handler {
  return (request) => {
    let bytes = 0;
    if (when === "at once") request.socket.resetAndDestroy();
    else if (when === "after everything") request.on("end", () => request.socket.resetAndDestroy());
    else {
      request.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > when) request.socket.resetAndDestroy();
      });
    }
  };
}
