import type { Limits, Problem } from "@video-to-json/contract";
import { limitConcurrentBodies, readTextBody, type UploadRate } from "@video-to-json/runtime/http";
import type { Request, Response } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { countRequest, type LimitRateDeps } from "../caller/limit-rate.ts";
import { asProblem } from "../errors/on-error.ts";
import { maxBodiesInFlight, maxJsonValues } from "../extract/body-limits.ts";
import { type Message, readMessage } from "./read-message.ts";
import { RpcError, rpcCodes } from "./rpc-error.ts";

export type ReadRequestMessageDeps = UploadRate &
  LimitRateDeps & { readonly limits: Pick<Limits, "maxSchemaBytes" | "maxJobsPerAccount"> };

type RequestMessage = {
  message: Message;
  /** The rate limit, or the scope of the key, refuses this call of a tool. */
  refusal: Problem | undefined;
};

// A longer message can only be an extraction, so it counts as one before it is parsed.
const longMessage = 64 * 1024;

/**
 * Creates the function that reads the message of a request and counts it against the account's rate limit. The call of
 * a tool over the limit, or beyond the scope of the key, fails as tools do, by `refusal`. The function throws RpcError,
 * rate_limited, unauthorised, and what `readTextBody` throws.
 */
export function createMessageReader(
  deps: ReadRequestMessageDeps,
): (request: Request, response: Response) => Promise<RequestMessage> {
  const bodies = limitConcurrentBodies("rate_limited");

  return async (request, response) => {
    let counted: Promise<void> | undefined;
    const countOnce = (kind: "extract" | "read") => {
      counted ??= countRequest(deps, response, { kind, scope: kind });
      return counted;
    };
    const read = async () => {
      if (request.method !== "POST") {
        response.set("Allow", "POST");
        throw new RpcError(
          405,
          rpcCodes.refused,
          "Send messages by POST: there are no sessions and no stream to open.",
        );
      }
      const caller = callerOf(response);
      const owner = { id: caller.accountId, max: maxBodiesInFlight(caller, deps.limits) };
      const text = await bodies.run(request, owner, () => readTextBody(deps, request, response));
      if (text.length > longMessage) await countOnce("extract");
      return readMessage(text, maxJsonValues(deps.limits));
    };
    const message = await read().catch(async (error) => {
      await countOnce("read");
      throw error;
    });
    const count = countOnce(message.tool === "extract" ? "extract" : "read").then(() => undefined);
    return { message, refusal: message.tool === undefined ? await count : await count.catch(asProblem) };
  };
}
