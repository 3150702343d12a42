import type { Route } from "../../routes/route.ts";

/** A route of the dashboard: where it is, who may use it, and what it does (docs/decisions/0011). */
export type DashboardRoute<Deps> = {
  readonly method: "get" | "post" | "put" | "delete";
  /** A path template below `/dashboard/api`, such as `/jobs/{id}`. */
  readonly path: `/${string}`;
  /** Whether it is public. Otherwise it needs a session. */
  readonly isOpen?: true;
  /** Whether the sign-in must be fresh. */
  readonly needsFreshSession?: true;
  /** Whether a request counts as an extraction of the account; otherwise as a request of the dashboard. */
  readonly extracts?: true;
  readonly handle: Route<Deps>["handle"];
};
