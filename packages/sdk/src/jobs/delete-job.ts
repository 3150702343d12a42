import { VideoToJsonError } from "../errors/video-to-json-error.ts";
import type { CallOptions } from "../http/call-options.ts";
import { checkResponse } from "../http/check-response.ts";
import type { Connection } from "../http/connection.ts";
import { request } from "../http/request.ts";
import type { HttpResponse } from "../http/send.ts";

/** Erases the contents of a finished job (docs/decisions/0001, "Listing jobs"). */
export async function deleteJob(connection: Connection, id: string, options: CallOptions): Promise<void> {
  const outgoing = { method: "DELETE", path: `/v1/jobs/${encodeURIComponent(id)}` } as const;
  await request(connection, outgoing, options, (response, attempt) => checkErased(connection, response, attempt));
}

function checkErased(connection: Connection, response: HttpResponse, attempt: number): object {
  if (response.status === 204) return {};
  try {
    return checkResponse(connection, response);
  } catch (error) {
    // An earlier try, whose answer was lost, erased it.
    if (attempt > 1 && error instanceof VideoToJsonError && error.code === "not_found") return {};
    throw error;
  }
}
