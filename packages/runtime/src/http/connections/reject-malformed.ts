import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { Problem } from "@video-to-json/contract";
import type { HttpRefusal } from "./ambiguous-request.ts";
import type { PipelineSerializer } from "./serialize-pipelined.ts";

export const maxHeaderBytes = 16 * 1024;
const maxLingerMs = 5000;

/**
 * Answers requests that are rejected before the app sees them (malformed and ambiguous requests, CONNECT, late heads)
 * with our Error body and `headers`. While a response to an earlier request is in flight, it sends nothing, because the
 * client would take the error for that response, or find it in the middle.
 */
export function malformedRequestHandler(
  headers: Readonly<Record<string, string>>,
  pipeline: Pick<PipelineSerializer, "endAfterResponse">,
): (error: NodeJS.ErrnoException, socket: Socket, refusal?: HttpRefusal) => void {
  const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const answered = new WeakSet<Socket>();
  return (error, socket, refusal = refusalFor(error)) => {
    // Everything after the error is malformed too. It is discarded, because closing at once would reset the connection.
    if (answered.has(socket) && error.code !== "ERR_HTTP_REQUEST_TIMEOUT") return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    answered.add(socket);
    // Node calls this after the last response, and its own version closes at once.
    socket.destroySoon = () => endAndDiscard(socket);
    if (pipeline.endAfterResponse(socket, () => endAndDiscard(socket))) return;
    const { status, reason } = refusal;
    const problem = new Problem("invalid_request", { reason });
    const body = JSON.stringify({ error: problem.toInside() });
    endAndDiscard(
      socket,
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n${headerLines.join("")}Connection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

/** Sends `response`, ends our side of the connection, and discards incoming data for up to five seconds. */
function endAndDiscard(socket: Socket, response = ""): void {
  if (!socket.writable) return;
  const timer = setTimeout(() => socket.destroy(), maxLingerMs);
  socket.resume().once("close", () => clearTimeout(timer));
  socket.end(response);
}

function refusalFor({ code = "" }: NodeJS.ErrnoException): HttpRefusal {
  return { status: "400 Bad Request", reason: reasons[code] ?? "The request is not valid HTTP. Correct it." };
}

const reasons: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request took too long to arrive. Send it again.",
  HPE_HEADER_OVERFLOW: `The headers are larger than ${maxHeaderBytes / 1024} KiB. Send fewer or shorter ones.`,
};
