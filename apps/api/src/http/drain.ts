import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@video-to-json/contract";
import type { Request, RequestHandler, Response } from "express";
import { describeProblem } from "../errors/send-problem.ts";

/** How an API takes its leave of its callers. */
export type Drain = {
  /** Every request passes here: once the door is shut it is refused. */
  guard: RequestHandler;
  /**
   * Serves on for so long, so that whoever spreads the requests sees that this process is no longer ready. Each answer
   * ends its connection: the caller's next request makes a new one, to a process that stays.
   */
  leave(ms: number): Promise<void>;
  /** From now on requests are refused as provider_unavailable, to be sent again at once. */
  shut(): void;
};

type Exchange = { request: Request; response: Response };

const longestBodyMs = 5_000;
const retryAfterSeconds = 1;

/** Opens the door that `leave` and `shut` close again (docs/decisions/0010, "Shutdown"). */
export function openDrain(): Drain {
  const held = new Set<Exchange>();
  let state: "open" | "leaving" | "shut" = "open";
  return {
    guard(request, response, next) {
      if (state === "shut") {
        refuse({ request, response });
        return;
      }
      const exchange = { request, response };
      held.add(exchange);
      response.once("close", () => held.delete(exchange));
      if (state === "leaving") endConnectionAfter(exchange);
      next();
    },
    async leave(ms) {
      state = "leaving";
      for (const exchange of held) endConnectionAfter(exchange);
      await sleep(ms);
    },
    shut() {
      state = "shut";
    },
  };
}

/** An early answer to a body on its way must not end its connection: what still comes would reset it. */
function endConnectionAfter({ request, response }: Exchange): void {
  const end = () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  };
  if (request.complete || !hasBody(request)) end();
  else request.once("end", end);
}

function refuse({ request, response }: Exchange): void {
  const problem = new Problem(
    "provider_unavailable",
    "This server is restarting and took nothing of the request; nothing was charged. Send it again.",
    { retryAfterSeconds },
  );
  const body = JSON.stringify(describeProblem(response, problem));
  response.set({ Connection: "close", "Content-Length": String(Buffer.byteLength(body)) }).type("application/json");
  if (!hasBody(request) || response.locals.expectsContinue) {
    response.end(body);
    return;
  }
  // The caller has the whole answer at once; the connection ends when its body is through, or has had its time.
  response.write(body);
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, longestBodyMs);
  request.once("end", end).once("close", end).resume();
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
