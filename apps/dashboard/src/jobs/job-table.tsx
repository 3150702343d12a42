import "./job-table.css";
import { Link } from "@tanstack/react-router";
import type { ListedJob } from "@video-to-json/contract/dashboard/jobs";
import { Badge, SkeletonRows, type Tone } from "../design/display.tsx";
import { agoText, dateTimeText, durationText, minutesText } from "../design/format.ts";

type JobTableProps = { readonly jobs: readonly ListedJob[] | undefined; readonly skeletonRows: number };

/** Jobs, each row a link to its page. While they load, empty rows keep the layout still. */
export function JobTable({ jobs, skeletonRows }: JobTableProps) {
  const now = Date.now();
  return (
    <div className="table-scroll">
      <table className="table job-table">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Status</th>
            <th scope="col">Video</th>
            <th scope="col">Billed</th>
            <th scope="col">Key</th>
            <th scope="col" className="end">
              Created
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs ? (
            jobs.map((job) => (
              <tr key={job.id} className="row-link">
                <td>
                  <Link to="/jobs/$jobId" params={{ jobId: job.id }} className="row-anchor" title={job.id}>
                    <JobName job={job} />
                  </Link>
                  <span className="job-ago muted">{agoText(job.created_at, now)}</span>
                </td>
                <td>
                  <JobStatus status={job.status} /> {job.error && <code className="job-code">{job.error.code}</code>}
                </td>
                <td className="numeric">{job.video ? durationText(job.video.duration_seconds * 1000) : "–"}</td>
                <td className="numeric">{job.billed_seconds > 0 ? minutesText(job.billed_seconds) : "–"}</td>
                <td className="job-key" title={job.key?.name}>
                  {job.key ? job.key.name : <span className="muted">Playground</span>}
                </td>
                <td className="end muted">
                  <time dateTime={job.created_at} title={dateTimeText(job.created_at)}>
                    {agoText(job.created_at, now)}
                  </time>
                </td>
              </tr>
            ))
          ) : (
            <SkeletonRows rows={skeletonRows} widths={[5, 6, 4, 4, 6, 5]} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/** The name of the video's file, or the beginning of the id. */
function JobName({ job: { id, title } }: { readonly job: ListedJob }) {
  if (title === null) return <span className="mono">{id.slice(0, 8)}</span>;
  return (
    <span className="job-title">
      {title} <span className="mono muted">{id.slice(0, 8)}</span>
    </span>
  );
}

const looks: Readonly<Record<string, { tone: Tone; word: string }>> = {
  queued: { tone: "neutral", word: "Queued" },
  running: { tone: "busy", word: "Running" },
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
};

/** The state of a job. */
export function JobStatus({ status }: { readonly status: string }) {
  const { tone, word } = looks[status] ?? { tone: "neutral", word: status };
  return <Badge tone={tone}>{word}</Badge>;
}
