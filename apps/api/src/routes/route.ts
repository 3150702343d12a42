import type { ErrorRequestHandler, RequestHandler } from "express";
import type { Use } from "../caller/limit-rate.ts";
import type { Operation } from "../openapi/operation.ts";

/** A route of the API: where it is, what the interface description says about it, and what it does. */
export type Route<Deps> = {
  readonly method: "get" | "post" | "delete";
  /** A path template, such as `/v1/jobs/{id}`. */
  readonly path: `/v1/${string}`;
  /**
   * The rate limit that counts a request, and the scope that its key needs. With `by message`, the handler does both.
   */
  readonly use: Use | "by message";
  /** Whether the handler also answers the other methods, which the interface description does not mention. */
  readonly everyMethod?: true;
  readonly operation: Operation;
  /** Returns the handlers of the route, in the order in which Express calls them. */
  readonly handle: (deps: Deps) => RequestHandler | (RequestHandler | ErrorRequestHandler)[];
};
