import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How one request is dealt with. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A server on loopback that deals with each request as the next handler says, and with all others as the last does.
 * What came of each is kept.
 */
export async function startFaultServer(...handlers: [Handler, ...Handler[]]) {
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: Buffer[] }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const body: Buffer[] = [];
    requests.push({ method, url, headers, body });
    request.on("data", (piece: Buffer) => body.push(piece)).on("error", () => {});
    const handler = handlers[requests.length - 1] ?? handlers.at(-1);
    handler?.(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodyOf: (index: number) => Buffer.concat(requests[index]?.body ?? []),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A successful extraction. */
export const answerText =
  '{"id":"8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11","data":{"b":1.0,"2":0},"video":{"duration_seconds":5.04},"billed_seconds":60}';

/** Answers once the whole body has come. */
export function answers(text: string, status = 200, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    request.on("end", () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(text));
  };
}

/** Refuses with an Error body once the whole body has come. */
export function refuses(status: number, code: string, headers: Record<string, string> = {}): Handler {
  return answers(JSON.stringify({ error: { code, message: `It is ${code}.` } }), status, headers);
}

/** Cuts the connection: at once, after so many bytes, or once everything has come. */
export function cuts(when: "at once" | "after everything" | number): Handler {
  return (request) => {
    let bytes = 0;
    if (when === "at once") request.socket.resetAndDestroy();
    else if (when === "after everything") request.on("end", () => request.socket.resetAndDestroy());
    else {
      request.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > when) request.socket.resetAndDestroy();
      });
    }
  };
}
