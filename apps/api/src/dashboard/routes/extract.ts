import type { Route } from "../../routes/route.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = {
  /**
   * The handler of `POST /v1/extract`. It reads its caller from the response, so the session of a browser works as well
   * as a key.
   */
  readonly extract: ReturnType<Route<unknown>["handle"]>;
};

/** `POST extract`: the extraction of the playground. It has the same handler as the API's. */
export const playgroundRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/extract",
  extracts: true,
  handle: ({ extract }) => extract,
};
