import { problemCodes } from "@video-to-json/contract";
import { always, duringRun, fault, is, type TableRule } from "./column-rule.ts";

const left = "nothing is left";

const queueAccounts: TableRule = {
  name: ({ account_id }) => `the order of account ${account_id}`,
  columns: {
    account_id: is(left, ({ account_id }, { accounts: all }) => fault(all.has(account_id ?? ""), "an account")),
    fetches: { free: "An account has a row for its fetches only after its first one." },
    waiting: always(left, 0),
    running: always(left, 0),
    last_started_at: is(left, (_row, { span }) => ({ ...span, orNull: true })),
    created_at: duringRun(left),
    pays: always(left, "false"),
    waits: always(left, "false"),
    is_active: always(left, "false"),
  },
  rows: ({ rows }) => {
    const ordered = new Set(rows("queue_accounts").map(({ account_id }) => account_id));
    const owners = new Set(rows("jobs").map(({ account_id }) => account_id));
    return {
      rule: left,
      faults: [...owners].filter((id) => !ordered.has(id)).map((id) => `account ${id} has jobs and no order`),
    };
  },
};

// Processes record themselves every few seconds. After this silence the places of a worker no longer count.
const silenceMs = 15_000;
const workers: TableRule = {
  name: ({ id, app }) => `${app} ${id}`,
  columns: {
    id: { free: "A random id of a process." },
    places: is(left, ({ app }, { running }) => (app === "worker" ? running.places : 0)),
    seen_at: duringRun(left),
    app: is(left, ({ places }) => (places === "0" ? "api" : "worker")),
  },
  rows: ({ rows, span, running }) => {
    const counted = rows("workers").filter(
      ({ app, seen_at }) => app === "worker" && Number(seen_at) > span.until - silenceMs,
    ).length;
    const isRight = counted === running.workers;
    return {
      rule: left,
      faults: isRight ? [] : [`the places of ${counted} workers count, and ${running.workers} run`],
    };
  },
};

const maintenance: TableRule = {
  name: ({ name }) => `the task "${name}"`,
  columns: {
    name: always(left, {
      oneOf: [
        ...["fail overdue jobs", "requeue lost jobs", "delete orphan uploads", "delete expired idempotency keys"],
        ...["delete old waiters", "delete expired sign-ins", "delete leftovers in Redis"],
        ...["delete videos of finished jobs", "delete orphan scratch", "erase contents of old jobs"],
        "delete old refused requests",
      ],
    }),
    fence: { free: "The rounds of a task, which only workers count." },
    next_run_at: is(left, (_row, { span }) => ({ from: span.from, until: span.until + 24 * 3_600_000 })),
  },
};

const mustBeEmpty: TableRule = { name: ({ id, job_id, name }) => `row ${id ?? job_id ?? name}`, columns: {} };

const noKey = "00000000-0000-0000-0000-000000000000";
/** A killed API forgets what it counted in the last seconds, so no row has to be there. */
const refusedRequests: TableRule = {
  name: ({ request_id }) => `the refused requests up to ${request_id}`,
  columns: {
    account_id: is(left, ({ account_id }, { accounts: all }) => fault(all.has(account_id ?? ""), "an account")),
    key_id: is(left, ({ account_id, key_id }, { keyIds }) =>
      fault(key_id === noKey || keyIds.get(key_id ?? "")?.account_id === account_id, "a key of the account"),
    ),
    code: is(left, ({ code }) =>
      fault(
        problemCodes.some((known) => known === code),
        "a code",
      ),
    ),
    route: is(left, ({ route }) => fault(/^[A-Z]+ \/v1/.test(route ?? ""), "a method and a route")),
    minute: is(left, (_row, { span }) => ({ from: span.from - 60_000, until: span.until })),
    count: is(left, (_row, { calls }) => ({ from: 1, until: calls.flatMap(({ attempts }) => attempts).length })),
    request_id: { free: "The id of a request that the API chose." },
    last_at: duringRun(left),
  },
};

/** The rules of the tables that only processes of the service use. The dashboard has no user in a run. */
export const serviceRules: Readonly<Record<string, TableRule>> = {
  queue_accounts: queueAccounts,
  workers,
  maintenance,
  minute_mails: mustBeEmpty,
  refused_requests: refusedRequests,
  ...{ queue_jobs: mustBeEmpty, service_secrets: mustBeEmpty },
  ...{ dashboard_users: mustBeEmpty, dashboard_sessions: mustBeEmpty, dashboard_codes: mustBeEmpty },
  ...{ dashboard_passkeys: mustBeEmpty, saved_schemas: mustBeEmpty, free_grant_counts: mustBeEmpty },
};
