import { extractRoute } from "./extract.ts";
import { deleteJobRoute, evidenceRoute, jobRoute } from "./job.ts";
import { jobsRoute } from "./jobs.ts";
import { mcpRoute } from "./mcp.ts";
import { meRoute } from "./me.ts";
import { openApiRoute } from "./openapi.ts";

/** The routes of the API. The application serves them, and the interface description shows them, in this order. */
export const routes = [
  extractRoute,
  jobsRoute,
  jobRoute,
  evidenceRoute,
  deleteJobRoute,
  meRoute,
  openApiRoute,
  mcpRoute,
] as const;
