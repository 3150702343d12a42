import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type {
  LedgerPage,
  MinuteMails,
  Overview,
  PasskeyRecords,
  ServiceStatus,
  Session,
  SessionRecords,
  SignInSettings,
  Usage,
} from "@video-to-json/contract/dashboard/account";
import type { DashboardJob, ListedJobs } from "@video-to-json/contract/dashboard/jobs";
import type { KeyRecords, Refusals } from "@video-to-json/contract/dashboard/keys";
import type { SavedSchema, SavedSchemas } from "@video-to-json/contract/dashboard/schemas";
import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import { rememberSignedIn } from "../app/session-hint.ts";
import { read, showAccount } from "./request.ts";

/** Returns whether a job has not finished. */
export function isOpen({ status }: { readonly status: string }): boolean {
  return status === "queued" || status === "running";
}

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    const session = await read<Session>("session", signal);
    rememberSignedIn(session.account_id);
    showAccount(session.account_id);
    return session;
  },
  staleTime: 60_000,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => read<SessionRecords>("sessions", signal),
});

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: ({ signal }) => read<PasskeyRecords>("passkeys", signal),
});

export const minuteMailsQuery = queryOptions({
  queryKey: ["minute-mails"],
  queryFn: ({ signal }) => read<MinuteMails>("account/mails", signal),
});

export const signInQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: ({ signal }) => read<SignInSettings>("sign-in", signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => read<Overview>("overview", signal),
  // The end of a running job appears without a reload.
  refetchInterval: ({ state }) => (state.data?.recent_jobs.some(isOpen) ? 2000 : false),
});

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => read<KeyRecords>("keys", signal),
});

export const refusalsQuery = queryOptions({
  queryKey: ["refusals"],
  queryFn: ({ signal }) => read<Refusals>("refusals", signal),
});

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => read<ServiceStatus>("status", signal),
  refetchInterval: 15_000,
});

export const savedSchemasQuery = queryOptions({
  queryKey: ["schemas"],
  queryFn: ({ signal }) => read<SavedSchemas>("schemas", signal),
});

/** One version of a saved schema. It never changes. */
export function savedSchemaQuery(id: string) {
  return queryOptions({
    queryKey: ["schema", id],
    queryFn: ({ signal }) => read<SavedSchema>(`schemas/${id}`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The usage of the days `from` to `to` (YYYY-MM-DD, UTC), both included. */
export function usageQuery(from: string, to: string) {
  return queryOptions({
    queryKey: ["usage", from, to],
    queryFn: ({ signal }) => read<Usage>(`usage?${new URLSearchParams({ from, to })}`, signal),
  });
}

export const ledgerQuery = infiniteQueryOptions({
  queryKey: ["ledger"],
  queryFn: ({ pageParam, signal }) =>
    read<LedgerPage>(`ledger${pageParam && `?cursor=${encodeURIComponent(pageParam)}`}`, signal),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** The filters of a list of jobs. A missing member filters nothing. */
export type JobFilters = {
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly key_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A part of a name, an id or a text. */
  readonly q?: string | undefined;
};

/** The jobs that pass the filters, page by page, newest first. */
export function jobsQuery(filters: JobFilters) {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return infiniteQueryOptions({
    queryKey: ["jobs", Object.fromEntries(given)],
    queryFn: ({ pageParam, signal }) => {
      const query = new URLSearchParams([...given, ...(pageParam ? [["cursor", pageParam]] : [])]);
      return read<ListedJobs>(`jobs?${query}`, signal);
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.jobs.some(isOpen) ? 3000 : false),
  });
}

/** One job. While it is open, it is read again every second. */
export function jobQuery(id: string) {
  return queryOptions({
    queryKey: ["job", id],
    queryFn: ({ signal }) => read<DashboardJob>(`jobs/${encodeURIComponent(id)}`, signal),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? 1000 : false),
  });
}

/** The evidence of a job that has it. It never changes. */
export function evidenceQuery(jobId: string) {
  return queryOptions({
    queryKey: ["evidence", jobId],
    queryFn: ({ signal }) => read<Evidence>(`jobs/${encodeURIComponent(jobId)}/evidence`, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
