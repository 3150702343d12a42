import type { Operation } from "../faults/fault.ts";
import { ApiError, invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import type { Reply } from "../protocol/reply.ts";
import { endCurrentWrite, handleChunk, terminated, type UploadDeps } from "./handle-chunk.ts";
import type { UploadSession } from "./upload-sessions.ts";

/** Answers every request to the URL of an upload. The id in the URL replaces the API key. */
export async function handleUpload(deps: UploadDeps, exchange: Exchange): Promise<Reply> {
  const session = deps.uploads.find(exchange.url.searchParams.get("upload_id") ?? "");
  if (!session) throw new ApiError(404, "NOT_FOUND", "Requested entity was not found.");
  const commands = readCommands(exchange);
  switch (commands.join(",")) {
    case "upload":
      return handleChunk(deps, exchange, session, { upload: true, finalize: false });
    case "upload,finalize":
      return handleChunk(deps, exchange, session, { upload: true, finalize: true });
    case "finalize":
      return handleChunk(deps, exchange, session, { upload: false, finalize: true });
    case "query":
      return handleQuery(exchange, session);
    case "cancel":
      return handleCancel(deps, exchange, session);
    default:
      throw invalidArgument(`Invalid X-Goog-Upload-Command: ${commands.join(", ") || "none"}.`);
  }
}

/** Returns the operation that a request to the URL of an upload counts as. */
export function uploadOperation(exchange: Pick<Exchange, "request">): Operation {
  const command = readCommands(exchange).join(",");
  return command === "query" || command === "cancel" ? command : "chunk";
}

function readCommands({ request }: Pick<Exchange, "request">): string[] {
  const text = header(request, "x-goog-upload-command") ?? "";
  return text.split(",").map((word) => word.trim().toLowerCase());
}

async function handleQuery(exchange: Exchange, session: UploadSession): Promise<Reply> {
  await exchange.injectFault("query");
  await endCurrentWrite(session, exchange.request);
  return {
    status: 200,
    headers: {
      "x-goog-upload-status": session.state,
      "x-goog-upload-size-received": String(session.received),
    },
  };
}

async function handleCancel({ uploads }: UploadDeps, exchange: Exchange, session: UploadSession): Promise<Reply> {
  await exchange.injectFault("cancel");
  await endCurrentWrite(session, exchange.request);
  if (session.state !== "active") throw terminated(session);
  await uploads.end(session, "cancelled");
  return { status: 200, headers: { "x-goog-upload-status": "cancelled" } };
}
