import { counter, gauge, histogram } from "./metric.ts";

/** The metrics of an API, besides those of every process. */
export const apiMetrics = {
  requests: counter("http_requests_total", "HTTP requests that have ended.", {
    method: "the methods of HTTP",
    route: "the routes of the interface, and `none`",
    status: "HTTP statuses; `499` if the caller left before the response began",
    code: "the error codes, `none`, and `disconnected` if the caller left before the response was complete",
  }),
  requestSeconds: histogram(
    "http_request_duration_seconds",
    "Time from the head of a request to the end of its response. An extraction lasts as long as its job.",
    [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60, 120, 300, 600],
    { method: "the methods of HTTP", route: "the routes of the interface, and `none`" },
  ),
  openWaits: gauge("open_waits", "Requests that wait for a job now."),
  jobsAdmitted: counter("jobs_admitted_total", "Extraction requests that were admitted.", {
    kind: ["new", "joined", "replayed"],
  }),
  uploads: counter("uploads_total", "Uploads that have ended.", { outcome: ["stored", "failed"] }),
  uploadBytes: counter("upload_bytes_total", "Bytes of uploads, counted when an upload has ended."),
  uploadRate: histogram(
    "upload_rate_bytes_per_second",
    "Speed of each stored upload.",
    [1e4, 1e5, 5e5, 1e6, 5e6, 1e7, 5e7, 1e8, 5e8, 1e9],
  ),
  rateLimited: counter("rate_limited_total", "Requests that a rate limit refused.", {
    bucket: ["extract", "read", "unauthorised", "dashboard", "sign-in", "sign-in-day", "code"],
  }),
  signUps: counter(
    "sign_ups_total",
    "First sign-ins of addresses at the dashboard, by whether they got the free minutes.",
    {
      outcome: ["granted", "none", "mailbox", "disposable", "domain", "network", "service"],
    },
  ),
  jobs: gauge("jobs", "Open jobs of the whole service. Each API reports the same number: use `max`.", {
    state: ["waiting", "running"],
  }),
  oldestWaitingJob: gauge(
    "oldest_waiting_job_seconds",
    "How long the oldest waiting job of the whole service has waited; 0 without one. Each API reports the same: use `max`.",
  ),
  processes: gauge(
    "processes",
    "APIs and workers that PostgreSQL knows of: seen within 15 s, or lost without a shutdown within the last 5 min. Each API reports the same: use `max`.",
    { app: ["api", "worker"], state: ["live", "lost"] },
  ),
  lockWait: gauge(
    "database_lock_wait_seconds",
    "How long the longest wait for a lock of PostgreSQL has lasted, by the table that is locked. Each API reports the same: use `max`.",
    { table: ["accounts", "jobs", "ledger", "other"] },
  ),
};
