import type { ServiceStatus } from "@video-to-json/contract/dashboard/account";
import { type Db, readServiceState, retryWhileUnavailable } from "@video-to-json/database";
import manifest from "../../../package.json" with { type: "json" };
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db };

const keptMs = 5_000;
const patienceMs = 2_000;

/**
 * `GET status`: the state of the service, for people. It queries the database once in five seconds at most, however
 * many clients ask.
 */
export const statusRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/status",
  isOpen: true,
  handle: ({ db }) => {
    const { version } = manifest;
    let kept: { until: number; status: Promise<ServiceStatus> } | undefined;

    async function read(): Promise<ServiceStatus> {
      const state = await retryWhileUnavailable(() => readServiceState(db), { ms: patienceMs });
      return {
        queue_wait_seconds: Math.max(0, Math.round(state.queueWaitSeconds * 10) / 10),
        provider: { reachable: state.isProviderReachable, since: state.providerSeenAt?.toISOString() ?? null },
        version,
      };
    }

    return async (_request, response) => {
      if (!kept || kept.until <= performance.now()) {
        const status = read();
        kept = { until: performance.now() + keptMs, status };
        status.catch(() => {
          kept = undefined;
        });
      }
      response.json(await kept.status);
    };
  },
};
