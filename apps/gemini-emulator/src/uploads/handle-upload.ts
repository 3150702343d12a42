import type { Operation } from "../faults/fault.ts";
import type { FileStore } from "../files/file-store.ts";
import { ApiError, invalidArgument } from "../protocol/api-error.ts";
import { type Exchange, header } from "../protocol/exchange.ts";
import type { Reply } from "../protocol/reply.ts";
import { handleChunk, takeOver, terminated } from "./handle-chunk.ts";
import type { UploadSession, UploadSessions } from "./upload-sessions.ts";

type Deps = { uploads: UploadSessions; files: FileStore; onBytes(bytes: number): void };

/** Everything that is sent to an upload's own URL. The upload's id stands for the key. */
export async function handleUpload(deps: Deps, exchange: Exchange): Promise<Reply> {
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

/** What a request to an upload's own URL is counted as. */
export function uploadOperation(exchange: Pick<Exchange, "request">): Operation {
  const command = readCommands(exchange).join(",");
  return command === "query" || command === "cancel" ? command : "chunk";
}

function readCommands({ request }: Pick<Exchange, "request">): string[] {
  const text = header(request, "x-goog-upload-command") ?? "";
  return text.split(",").map((word) => word.trim().toLowerCase());
}

async function handleQuery(exchange: Exchange, session: UploadSession): Promise<Reply> {
  await exchange.strike("query");
  await takeOver(session, exchange.request);
  return {
    status: 200,
    headers: {
      "x-goog-upload-status": session.state,
      "x-goog-upload-size-received": String(session.received),
    },
  };
}

async function handleCancel({ uploads }: Deps, exchange: Exchange, session: UploadSession): Promise<Reply> {
  await exchange.strike("cancel");
  await takeOver(session, exchange.request);
  if (session.state !== "active") throw terminated(session);
  await uploads.end(session, "cancelled");
  return { status: 200, headers: { "x-goog-upload-status": "cancelled" } };
}
