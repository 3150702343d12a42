import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import type { ReactNode } from "react";
import { Card } from "../design/card.tsx";
import { dateTimeText, durationText, minutesText } from "../design/format.ts";
import { Skeleton } from "../design/skeleton.tsx";
import { JobStatus } from "./job-status.tsx";

/** The facts of a job: status, duration, charge and so on. While the job loads, empty rows keep the layout still. */
export function JobFacts({ job }: { readonly job: DashboardJob | undefined }) {
  const facts: readonly (readonly [string, (job: DashboardJob) => ReactNode])[] = [
    ["Status", ({ status }) => <JobStatus status={status} />],
    ["Video", ({ video }) => (video ? durationText(video.duration_seconds * 1000) : "Not measured")],
    ["Clip", ({ clip }) => (clip ? `${clip.start ?? "00:00"} – ${clip.end ?? "end"}` : "Whole video")],
    ["Detail", ({ detail }) => detail.replace(/^./, (first) => first.toUpperCase())],
    ["Billed", ({ billed_seconds }) => (billed_seconds > 0 ? minutesText(billed_seconds) : "Nothing")],
    ["Took", tookText],
    ["Attempts", ({ attempts }) => attempts ?? "–"],
    ["Model", ({ model }) => model ?? "–"],
    ["Key", ({ key }) => key?.name ?? "Playground"],
    ["Created", ({ created_at }) => dateTimeText(created_at)],
  ];
  return (
    <Card>
      <dl className="facts">
        {facts.map(([name, textOf]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{job ? textOf(job) : <Skeleton width={6} />}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function tookText({ created_at: created, finished_at: finished }: DashboardJob): string {
  return finished ? durationText(Date.parse(finished) - Date.parse(created)) : "Runs";
}
