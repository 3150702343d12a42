import "./jobs.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { DashboardJob, StageTiming } from "@video-to-json/contract/dashboard/jobs";
import { SquarePlay, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { isOpen, jobQuery } from "../api/queries.ts";
import { ApiProblem, send } from "../api/request.ts";
import { Button, ButtonLink } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { ConfirmDialog } from "../design/dialog.tsx";
import { CodeBlock, EmptyState, Notice, Skeleton } from "../design/display.tsx";
import { countsText, dateTimeText, durationText, minutesText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { EvidenceView } from "../evidence/evidence-view.tsx";
import { parseJson } from "../json/parse-json.ts";
import { printJson } from "../json/print-json.ts";
import { JobStatus } from "./job-table.tsx";

const names: Readonly<Record<string, string>> = {
  queued: "Waiting",
  obtaining: "Fetching",
  probing: "Measuring",
  uploading: "Handing over",
  analysing: "Watching",
  settling: "Storing",
};

/** How long a job was in each stage. */
function JobTimings({ timings }: { readonly timings: readonly StageTiming[] }) {
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

const indented = (text: string) => printJson(parseJson(text), 2);

/** The schema and the instructions of a job, and its answer beside them. */
function JobContents({ job }: { readonly job: DashboardJob | undefined }) {
  return (
    <div className="job-columns">
      <div className="stack-tight">
        <Card title="Schema">
          {job ? <CodeBlock code={indented(job.schema_text)} label="Schema" /> : <Skeleton width={26} height={16} />}
        </Card>
        {job?.instructions && (
          <Card title="Instructions">
            <p className="instructions">{job.instructions}</p>
          </Card>
        )}
      </div>
      <div className="stack-tight">
        <Card title="Answer">
          {!job ? (
            <Skeleton width={26} height={16} />
          ) : job.data_text === null ? (
            <p className="muted">
              {job.status === "failed" ? "This job has no answer." : "The job runs. Its answer appears here."}
            </p>
          ) : (
            <CodeBlock code={indented(job.data_text)} label="Answer" />
          )}
        </Card>
        {job?.wants_evidence && job.data_text !== null && (
          <Card title="Evidence" note="Where the video shows each value. Failed checks come first." flush>
            <EvidenceView jobId={job.id} answer={parseJson(job.data_text)} />
          </Card>
        )}
      </div>
    </div>
  );
}

/** One job: request, answer, times and cost. */
export function JobPage() {
  const { jobId } = useParams({ from: "/signed-in/jobs/$jobId" });
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  const [deleting, setDeleting] = useState(false);
  const isGone = error instanceof ApiProblem && error.status === 404;
  return (
    <Page
      title={job?.title ?? `Job ${jobId.slice(0, 8)}`}
      description={<span className="mono">{jobId}</span>}
      actions={
        job && (
          <>
            {!isOpen(job) && (
              <Button onClick={() => setDeleting(true)}>
                <Trash2 aria-hidden="true" />
                Delete contents
              </Button>
            )}
            <ButtonLink to="/playground/{-$jobId}" params={{ jobId }} variant="primary">
              <SquarePlay aria-hidden="true" />
              Run again in the playground
            </ButtonLink>
          </>
        )
      }
    >
      <div className="stack">
        {isGone ? (
          <EmptyState
            icon={Trash2}
            title="There is nothing here"
            actions={
              <Link to="/jobs" className="text-link">
                All jobs
              </Link>
            }
          >
            This account has no such job, or its contents were deleted. Its charge stays in the ledger.
          </EmptyState>
        ) : error ? (
          <ProblemNotice problem={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <JobFacts job={job} />
            {job?.error && <JobFailure error={job.error} />}
            <JobContents job={job} />
            {job?.timings && <JobTimings timings={job.timings} />}
          </>
        )}
      </div>
      <DeleteJobDialog jobId={jobId} open={deleting} onClose={() => setDeleting(false)} />
    </Page>
  );
}

type DeleteJobDialogProps = { readonly jobId: string; readonly open: boolean; readonly onClose: () => void };

/** Asks for confirmation, then deletes the contents of a job and leaves its page. */
function DeleteJobDialog({ jobId, open, onClose }: DeleteJobDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const erase = useMutation({
    mutationFn: () => send("DELETE", `jobs/${jobId}`),
    onSuccess: async () => {
      onClose();
      await navigate({ to: "/jobs" });
      client.removeQueries({ queryKey: ["job", jobId] });
      await Promise.all([
        client.invalidateQueries({ queryKey: ["jobs"] }),
        client.invalidateQueries({ queryKey: ["overview"] }),
      ]);
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Delete this job's contents?"
      description="Schema, instructions and answer are erased, and the job can no longer be found. Its charge stays in the ledger. This cannot be undone."
      action="Delete the contents"
      busy={erase.isPending}
      onConfirm={() => erase.mutate()}
    >
      {erase.error && <ProblemNotice problem={erase.error} />}
    </ConfirmDialog>
  );
}

/** The facts of a job: status, duration, charge and so on. While the job loads, empty rows keep the layout still. */
function JobFacts({ job }: { readonly job: DashboardJob | undefined }) {
  const facts: readonly (readonly [string, (job: DashboardJob) => ReactNode])[] = [
    ["Status", ({ status }) => <JobStatus status={status} />],
    ["Video", ({ video }) => (video ? durationText(video.duration_seconds * 1000) : "Not measured")],
    ["Clip", ({ clip }) => (clip ? `${clip.start ?? "00:00"} – ${clip.end ?? "end"}` : "Whole video")],
    ["Detail", ({ detail }) => detail.replace(/^./, (first) => first.toUpperCase())],
    ["Billed", ({ billed_seconds }) => (billed_seconds > 0 ? minutesText(billed_seconds) : "Nothing")],
    ["Took", tookText],
    ["Second look", ({ second_look: counts }) => (counts ? countsText(counts) : "None")],
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

/** Why a job failed and what to do, as its message says, and which parts of the schema its answer violated. */
function JobFailure({ error }: { readonly error: NonNullable<DashboardJob["error"]> }) {
  return (
    <Notice tone="bad" title={error.message}>
      {error.details && error.details.length > 0 && (
        <>
          <p>Not met:</p>
          <ul className="problem-details">
            {error.details.map((detail) => (
              <li key={detail}>
                <code>{detail}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="problem-code">
        <code>{error.code}</code> · nothing was charged
      </p>
    </Notice>
  );
}
