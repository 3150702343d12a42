import type { Route } from "../../routes/route.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = {
  /** The handler of `POST /v1/extract`. It reads its caller from the response, and does not care how that was found. */
  readonly extract: ReturnType<Route<unknown>["handle"]>;
};

/** `POST extract`: the extraction of the playground, which is the one of the API. */
export const playgroundRoute: DashboardRoute<Deps> = {
  method: "post",
  path: "/extract",
  extracts: true,
  handle: ({ extract }) => extract,
};
