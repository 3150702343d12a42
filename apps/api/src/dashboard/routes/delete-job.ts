import { deleteJobRoute as apiRoute } from "../../routes/delete-job.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

/** `DELETE jobs/{id}`: erases the contents of a finished job, as the API does. */
export const deleteJobRoute: DashboardRoute<Parameters<typeof apiRoute.handle>[0]> = {
  method: "delete",
  path: "/jobs/{id}",
  handle: apiRoute.handle,
};
