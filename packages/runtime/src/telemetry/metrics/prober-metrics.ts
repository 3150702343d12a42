import { problemCodes } from "@video-to-json/contract";
import { counter, gauge, histogram } from "./metric.ts";

/** What a probe may end with: a code of the service, or what the prober saw itself. */
const probeResults = ["ok", "unreachable", "wrong_answer", "no_key", ...problemCodes];

/** The metrics that only a prober has (`video-to-json-admin probe`). */
export const proberMetrics = {
  probes: counter(
    "probes_total",
    "Extractions of the prober, by their result: `ok`, a code of the service, `unreachable`, `wrong_answer`, or `no_key`.",
    { result: probeResults },
  ),
  probeDuration: histogram(
    "probe_duration_seconds",
    "How long the extractions of the prober took.",
    [1, 2, 5, 10, 20, 30, 60, 120, 300],
  ),
  lastSuccess: gauge(
    "probe_last_success_timestamp_seconds",
    "When an extraction of the prober last succeeded; until then, when the prober started. In seconds since 1970.",
  ),
};
