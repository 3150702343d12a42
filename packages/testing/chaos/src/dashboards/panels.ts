/** A panel: its title, its unit, and the expressions of its lines with their legends. */
export type PanelSpec = {
  title: string;
  /** A unit of Grafana. */
  unit: "short" | "s" | "bytes" | "Bps" | "reqps" | "percentunit" | "currencyUSD" | "ops" | "bool";
  /** One number instead of lines over time. */
  isNumber?: boolean;
  /** Expressions by legend. */
  lines: Readonly<Record<string, string>>;
};

/** A dashboard: its rows of panels by title. */
export type DashboardSpec = {
  uid: string;
  title: string;
  description: string;
  rows: Readonly<Record<string, readonly PanelSpec[]>>;
};

const p = "video_to_json_";
const rate = (metric: string, selector = "") => `rate(${p}${metric}${selector}[$__rate_interval])`;
const quantile = (q: number, metric: string, by = "") =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (${rate(`${metric}_bucket`)}))`;

const service: DashboardSpec = {
  uid: "video-to-json-service",
  title: "Video-to-JSON: service",
  description: "What callers get, how long they wait, and which server fails.",
  rows: {
    Now: [
      { title: "Requests that wait", unit: "short", isNumber: true, lines: { waits: `sum(${p}open_waits)` } },
      { title: "Jobs waiting", unit: "short", isNumber: true, lines: { jobs: `max(${p}jobs{state="waiting"})` } },
      { title: "Jobs running", unit: "short", isNumber: true, lines: { jobs: `max(${p}jobs{state="running"})` } },
      { title: "Oldest waiting job", unit: "s", isNumber: true, lines: { age: `max(${p}oldest_waiting_job_seconds)` } },
      {
        title: "Jobs that succeed",
        unit: "percentunit",
        isNumber: true,
        lines: {
          share: `sum(${rate("jobs_ended_total", '{outcome="succeeded"}')}) / sum(${rate("jobs_ended_total")})`,
        },
      },
      {
        title: "Alerts",
        unit: "short",
        isNumber: true,
        lines: { firing: 'count(ALERTS{alertstate="firing"}) or vector(0)' },
      },
    ],
    Requests: [
      {
        title: "Requests by route",
        unit: "reqps",
        lines: { "{{route}}": `sum by (route) (${rate("http_requests_total")})` },
      },
      {
        title: "Refused and failed requests by code",
        unit: "reqps",
        lines: { "{{status}} {{code}}": `sum by (status, code) (${rate("http_requests_total", '{code!="none"}')})` },
      },
      {
        title: "Time of a request, p50 and p99",
        unit: "s",
        lines: {
          "{{route}} p50": quantile(0.5, "http_request_duration_seconds", "route"),
          "{{route}} p99": quantile(0.99, "http_request_duration_seconds", "route"),
        },
      },
      {
        title: "Rate limits",
        unit: "reqps",
        lines: { "{{bucket}}": `sum by (bucket) (${rate("rate_limited_total")})` },
      },
      {
        title: "Uploads",
        unit: "Bps",
        lines: {
          bytes: `sum(${rate("upload_bytes_total")})`,
          "speed of one, p50": quantile(0.5, "upload_rate_bytes_per_second"),
        },
      },
      {
        title: "Uploads by outcome",
        unit: "ops",
        lines: { "{{outcome}}": `sum by (outcome) (${rate("uploads_total")})` },
      },
    ],
    Jobs: [
      { title: "Jobs admitted", unit: "ops", lines: { "{{kind}}": `sum by (kind) (${rate("jobs_admitted_total")})` } },
      {
        title: "Jobs ended by outcome",
        unit: "ops",
        lines: { "{{outcome}} by {{by}}": `sum by (outcome, by) (${rate("jobs_ended_total")}) > 0` },
      },
      { title: "Open jobs", unit: "short", lines: { "{{state}}": `max by (state) (${p}jobs)` } },
      {
        title: "Wait in the queue",
        unit: "s",
        lines: { p50: quantile(0.5, "job_queue_wait_seconds"), p99: quantile(0.99, "job_queue_wait_seconds") },
      },
    ],
    Dependencies: [
      { title: "Up", unit: "bool", lines: { "{{dependency}}": `min by (dependency) (${p}dependency_up)` } },
      {
        title: "Outages and restarts in 5 min",
        unit: "short",
        lines: {
          "{{dependency}} outages": `sum by (dependency) (increase(${p}dependency_outages_total[5m]))`,
          "{{dependency}} restarts": `max by (dependency) (increase(${p}dependency_restarts_total[5m]))`,
        },
      },
      {
        title: "Waits for locks",
        unit: "s",
        lines: { "{{table}}": `max by (table) (${p}database_lock_wait_seconds)` },
      },
      {
        title: "Connections to PostgreSQL",
        unit: "short",
        lines: {
          "{{job}} {{state}}": `sum by (job, state) (${p}database_connections)`,
          replaced: `sum(increase(${p}database_connections_replaced_total[5m]))`,
        },
      },
      {
        title: "Memory of Redis",
        unit: "bytes",
        lines: {
          used: `max(${p}redis_memory_used_bytes)`,
          limit: `max(${p}redis_memory_max_bytes)`,
          "data losses": `max(increase(${p}redis_data_losses_total[5m]))`,
        },
      },
      {
        title: "Free disk",
        unit: "percentunit",
        lines: { "{{disk}} {{instance}}": `${p}disk_free_bytes / ${p}disk_size_bytes` },
      },
    ],
  },
};

const workers: DashboardSpec = {
  uid: "video-to-json-workers",
  title: "Video-to-JSON: workers",
  description: "Whether to add workers, where jobs spend their time, and what the provider does.",
  rows: {
    Places: [
      { title: "Places", unit: "short", lines: { "{{state}}": `sum by (state) (${p}places)` } },
      { title: "Places used by worker", unit: "short", lines: { "{{instance}}": `${p}places{state="used"}` } },
      { title: "Jobs with the provider", unit: "short", lines: { permits: `sum(${p}permits_held)` } },
      { title: "Processes", unit: "short", lines: { "{{app}} {{state}}": `max by (app, state) (${p}processes)` } },
    ],
    Stages: [
      {
        title: "Time of a stage, p50",
        unit: "s",
        lines: { "{{stage}}": quantile(0.5, "job_stage_duration_seconds", "stage") },
      },
      {
        title: "Time of a stage, p95",
        unit: "s",
        lines: { "{{stage}}": quantile(0.95, "job_stage_duration_seconds", "stage") },
      },
      { title: "Runs of jobs", unit: "ops", lines: { "{{outcome}}": `sum by (outcome) (${rate("job_runs_total")})` } },
      {
        title: "Stalled tickets and killed work in 5 min",
        unit: "short",
        lines: {
          stalled: `sum(increase(${p}stalled_jobs_total[5m]))`,
          "{{sandbox}} killed": `sum by (sandbox) (increase(${p}sandbox_kills_total[5m]))`,
        },
      },
    ],
    Provider: [
      {
        title: "Requests by status",
        unit: "reqps",
        lines: { "{{request}} {{status}}": `sum by (request, status) (${rate("provider_requests_total")}) > 0` },
      },
      {
        title: "Time of a request, p95",
        unit: "s",
        lines: { "{{request}}": quantile(0.95, "provider_request_duration_seconds", "request") },
      },
      {
        title: "Sent again by status",
        unit: "reqps",
        lines: { "{{status}}": `sum by (status) (${rate("provider_retries_total")}) > 0` },
      },
      {
        title: "Attempts",
        unit: "ops",
        lines: { "{{model}} {{outcome}}": `sum by (model, outcome) (${rate("attempts_total")}) > 0` },
      },
    ],
    Maintenance: [
      {
        title: "Found in 5 min",
        unit: "short",
        lines: { "{{task}}": `sum by (task) (increase(${p}maintenance_finds_total[5m])) > 0` },
      },
      {
        title: "Failures in 5 min",
        unit: "short",
        lines: { "{{task}}": `sum by (task) (increase(${p}maintenance_failures_total[5m])) > 0` },
      },
      {
        title: "Since the last success",
        unit: "s",
        lines: { "{{task}}": `time() - max by (task) (${p}maintenance_last_success_timestamp_seconds)` },
      },
      {
        title: "Clocks, stalls, dropped lines",
        unit: "s",
        lines: {
          "{{instance}} clock": `${p}clock_offset_seconds`,
          "{{instance}} stalls": `increase(${p}process_stalls_total[5m])`,
          "{{instance}} lines": `increase(${p}log_lines_dropped_total[5m])`,
        },
      },
    ],
    Processes: [
      {
        title: "Processor time",
        unit: "percentunit",
        lines: { "{{job}} {{instance}}": "rate(process_cpu_seconds_total[$__rate_interval])" },
      },
      { title: "Memory", unit: "bytes", lines: { "{{job}} {{instance}}": "process_resident_memory_bytes" } },
      { title: "Event loop, p99", unit: "s", lines: { "{{job}} {{instance}}": "nodejs_eventloop_lag_p99_seconds" } },
      { title: "Builds", unit: "short", lines: { "{{version}} {{job}}": `count by (version, job) (${p}build_info)` } },
    ],
  },
};

const money: DashboardSpec = {
  uid: "video-to-json-money",
  title: "Video-to-JSON: money",
  description: "What callers are charged, what the provider costs, and what is spent in vain.",
  rows: {
    Charged: [
      {
        title: "Minutes charged in 24 h",
        unit: "short",
        isNumber: true,
        lines: { minutes: `sum(increase(${p}billed_seconds_total[24h])) / 60` },
      },
      {
        title: "Model cost in 24 h",
        unit: "currencyUSD",
        isNumber: true,
        lines: { dollars: `sum(increase(${p}model_cost_usd_total[24h]))` },
      },
      {
        title: "Model cost of a charged minute",
        unit: "currencyUSD",
        isNumber: true,
        lines: {
          dollars: `sum(increase(${p}model_cost_usd_total[24h])) / (sum(increase(${p}billed_seconds_total[24h])) / 60)`,
        },
      },
      {
        title: "Jobs that came to the large model",
        unit: "percentunit",
        isNumber: true,
        lines: { share: `sum(increase(${p}escalations_total[24h])) / sum(increase(${p}debits_total[24h]))` },
      },
    ],
    "Seconds of video": [
      {
        title: "Held and charged",
        unit: "short",
        lines: {
          "held a minute": `60 * sum(${rate("held_seconds_total")})`,
          "charged a minute": `60 * sum(${rate("billed_seconds_total")})`,
        },
      },
      {
        title: "Holds and debits",
        unit: "ops",
        lines: {
          "holds {{outcome}}": `sum by (outcome) (${rate("holds_total")})`,
          debits: `sum(${rate("debits_total")})`,
        },
      },
    ],
    Model: [
      {
        title: "Tokens",
        unit: "ops",
        lines: { "{{model}} {{kind}}": `sum by (model, kind) (${rate("model_tokens_total")}) > 0` },
      },
      {
        title: "Cost an hour",
        unit: "currencyUSD",
        lines: { "{{model}}": `3600 * sum by (model) (${rate("model_cost_usd_total")})` },
      },
      {
        title: "Questions for each charged job",
        unit: "short",
        lines: { questions: `sum(${rate("attempts_total")}) / sum(${rate("debits_total")})` },
      },
      {
        title: "Jobs that cost us and not the caller",
        unit: "ops",
        lines: {
          "{{outcome}}": `sum by (outcome) (${rate("jobs_ended_total", '{outcome=~"extraction_failed|internal_error|provider_unavailable"}')})`,
        },
      },
    ],
  },
};

/** The dashboards, by the name of their file. */
export const dashboards: Readonly<Record<string, DashboardSpec>> = { service, workers, money };
