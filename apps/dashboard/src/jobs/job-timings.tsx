import type { StageTiming } from "@video-to-json/contract/dashboard/jobs";
import { Card } from "../design/card.tsx";
import { durationText } from "../design/format.ts";

const names: Readonly<Record<string, string>> = {
  queued: "Waiting",
  obtaining: "Fetching",
  probing: "Measuring",
  uploading: "Handing over",
  analysing: "Watching",
  settling: "Storing",
};

/** How long a job was in each stage. */
export function JobTimings({ timings }: { readonly timings: readonly StageTiming[] }) {
  const longest = Math.max(1, ...timings.map(({ ms }) => ms));
  return (
    <Card title="Time by stage" note="Over all attempts.">
      <dl className="timings">
        {timings.map(({ stage, ms }) => (
          <div key={stage} className="timing">
            <dt>{names[stage] ?? stage}</dt>
            <dd aria-hidden="true">
              <div className="timing-bar" style={{ width: `${(ms / longest) * 100}%` }} />
            </dd>
            <dd className="numeric">{durationText(ms)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
