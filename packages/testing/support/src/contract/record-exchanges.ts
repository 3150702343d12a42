import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Exchange } from "./exchange.ts";

/** Wraps a request listener: calls `onExchange` with each exchange whose response was sent completely. */
export function recordExchanges(listener: RequestListener, onExchange: (exchange: Exchange) => void): RequestListener {
  return (request, response) => {
    const chunks = copyBody(response);
    response.once("finish", () => onExchange(exchangeOf(request, response, Buffer.concat(chunks).toString())));
    listener(request, response);
  };
}

/** Returns the list to which each chunk of a response is added when it is written. */
function copyBody(response: ServerResponse): Buffer[] {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as Uint8Array));
  };
  const { write, end } = response;
  response.write = ((...given: Parameters<typeof write>) => {
    keep(given[0]);
    return write.apply(response, given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    keep(given[0]);
    return end.apply(response, given);
  }) as typeof end;
  return chunks;
}

function exchangeOf({ method = "", url = "" }: IncomingMessage, response: ServerResponse, body: string): Exchange {
  const header = (name: string) => {
    const value = response.getHeader(name);
    return value === undefined ? null : String(value);
  };
  return { method, path: url.split("?")[0] ?? "", status: response.statusCode, header, body };
}
