import type { Limits, Problem } from "@video-to-json/contract";
import type { Request, Response } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { takeTurn } from "../caller/limit-rate.ts";
import { asProblem } from "../errors/on-error.ts";
import type { BodyCount } from "../http/count-bodies.ts";
import { mostValues, readTextBody } from "../http/read-text-body.ts";
import { type Message, readMessage } from "./read-message.ts";
import { RpcFault, rpcCodes } from "./rpc-fault.ts";

type Deps = Parameters<typeof readTextBody>[0] &
  Parameters<typeof takeTurn>[0] & {
    readonly limits: Pick<Limits, "maxSchemaBytes">;
    readonly bodies: BodyCount;
  };

// Only extractions are longer: one takes its turn before the work of parsing it.
const longText = 64 * 1024;

/**
 * Reads the message of a request and takes one turn for it. A tool that has no turn left fails as tools do, by
 * `refusal`; all else is refused before the protocol has a say. Throws RpcFault, rate_limited, and what `readTextBody`
 * throws.
 */
export async function receiveMessage(
  deps: Deps,
  request: Request,
  response: Response,
): Promise<{ message: Message; refusal: Problem | undefined }> {
  let turn: Promise<void> | undefined;
  const take = (kind: "extract" | "read") => {
    turn ??= takeTurn(deps, response, kind);
    return turn;
  };
  const read = async () => {
    if (request.method !== "POST") {
      response.set("Allow", "POST");
      throw new RpcFault(405, rpcCodes.refused, "Send messages by POST: there are no sessions and no stream to open.");
    }
    const text = await deps.bodies.receive(request, callerOf(response), () => readTextBody(deps, request, response));
    if (text.length > longText) await take("extract");
    return readMessage(text, mostValues(deps.limits));
  };
  const message = await read().catch(async (fault) => {
    await take("read");
    throw fault;
  });
  const taken = take(message.tool === "extract" ? "extract" : "read").then(() => undefined);
  return { message, refusal: message.tool === undefined ? await taken : await taken.catch(asProblem) };
}
