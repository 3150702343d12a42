import { counter, gauge, histogram } from "./metric.ts";

const models = ["small", "large"] as const;
const requests = ["generate", "upload", "get", "list", "delete"] as const;
const statuses = [
  "200",
  "400",
  "401",
  "402",
  "403",
  "404",
  "408",
  "429",
  "500",
  "502",
  "503",
  "504",
  "other",
  "none",
] as const;

/** Returns the label for the HTTP status of the provider: `none` for null, `other` for a rare one. */
export function statusLabel(status: number | null): (typeof statuses)[number] {
  if (status === null) return "none";
  return statuses.find((known) => known === String(status)) ?? "other";
}

/** The metrics of a worker, besides those of every process. */
export const workerMetrics = {
  places: gauge("places", "How many jobs this worker runs, and how many more it may run.", { state: ["free", "used"] }),
  permits: gauge("permits_held", "Jobs of this worker that are with the provider."),
  queueWait: histogram(
    "job_queue_wait_seconds",
    "Time from the admission of a job to its first claim.",
    [0.05, 0.2, 1, 5, 15, 30, 60, 120, 300, 600],
  ),
  stages: histogram(
    "job_stage_duration_seconds",
    "How long each stage of a job takes.",
    [0.01, 0.05, 0.2, 1, 5, 15, 30, 60, 120, 300],
    { stage: "the stages of a job" },
  ),
  runs: counter("job_runs_total", "Runs of jobs that have ended, by outcome.", {
    outcome: ["succeeded", "failed", "taken", "handed_back", "run_failed"],
  }),
  stalledJobs: counter("stalled_jobs_total", "Tickets whose worker had vanished, found by this worker."),
  attempts: counter("attempts_total", "Questions to the model, by outcome.", {
    model: models,
    outcome: ["conforms", "violates", "no_answer", "failed"],
  }),
  escalations: counter("escalations_total", "Jobs that reached the large model."),
  modelTokens: counter("model_tokens_total", "Tokens that the provider counted. `cached` is a part of `input`.", {
    model: models,
    kind: ["input", "output", "thinking", "cached"],
  }),
  modelCost: counter(
    "model_cost_usd_total",
    "Estimate of what the provider charges, in US dollars: the tokens times the prices of the models, by what asked.",
    { model: models, purpose: ["answer", "second_look", "lists", "evidence"] },
  ),
  providerRequests: counter(
    "provider_requests_total",
    "Requests to the provider that have ended, by HTTP status; `none`: no complete reply arrived.",
    {
      request: requests,
      status: statuses,
    },
  ),
  providerSeconds: histogram(
    "provider_request_duration_seconds",
    "How long requests to the provider take.",
    [0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    { request: requests },
  ),
  providerRetries: counter("provider_retries_total", "Requests to the provider that had to be sent again.", {
    status: statuses,
  }),
  providerSpending: gauge(
    "provider_spending_ratio",
    "The share of PROVIDER_DOLLARS_PER_DAY that all workers have spent today (UTC). 0 without that setting. Use `max`.",
  ),
  modelFallbacks: counter(
    "model_fallbacks_total",
    "Questions that went to the next model of their list, because a model was overloaded, retired or out of quota.",
    { model: models },
  ),
  transcriptions: counter(
    "transcriptions_total",
    "Videos whose speech went to TRANSCRIPTION_URL. `failed`: the job went on without its words.",
    { outcome: ["heard", "failed"] },
  ),
  providerFallbacks: counter(
    "provider_fallbacks_total",
    "Jobs that went to PROVIDER_FALLBACK, because the provider was unavailable before it had answered.",
  ),
  providerFiles: gauge(
    "provider_files_bytes",
    "Bytes of all files of the provider's project when this worker last listed them. Google allows 20 GB. Use `max`.",
  ),
  providerFreeTier: gauge(
    "provider_free_tier",
    "1 once a refusal of the provider has named a quota of the unpaid tier, whose videos the provider may use.",
  ),
  soundMissing: counter(
    "provider_sound_missing_total",
    "Answers about a video with sound for which the provider counted no sound. Nobody listened to it.",
  ),
  holds: counter("holds_total", "Attempts to hold seconds.", { outcome: ["held", "refused"] }),
  heldSeconds: counter("held_seconds_total", "Seconds of video that were held."),
  debits: counter("debits_total", "Jobs that were charged."),
  billedSeconds: counter("billed_seconds_total", "Seconds of video that were charged."),
  maintenanceFinds: counter("maintenance_finds_total", "Things that a maintenance task repaired or deleted.", {
    task: "the maintenance tasks",
  }),
  maintenanceFailures: counter("maintenance_failures_total", "Runs of a maintenance task that failed.", {
    task: "the maintenance tasks",
  }),
  maintenanceRun: gauge(
    "maintenance_last_success_timestamp_seconds",
    "When this worker last ran a maintenance task with success, in seconds since 1970. Use `max`.",
    { task: "the maintenance tasks" },
  ),
};
