import "./jobs.css";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { SquarePlay, Trash2 } from "lucide-react";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { isOpen, jobQuery } from "../api/queries.ts";
import { ApiProblem } from "../api/request.ts";
import { Button, ButtonLink } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { Page } from "../design/page.tsx";
import { DeleteJobDialog } from "./delete-job-dialog.tsx";
import { JobContents } from "./job-contents.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobFailure } from "./job-failure.tsx";
import { JobTimings } from "./job-timings.tsx";

/** One job: request, answer, times and cost. */
export function JobPage() {
  const { jobId } = useParams({ from: "/signed-in/jobs/$jobId" });
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  const [deleting, setDeleting] = useState(false);
  const isGone = error instanceof ApiProblem && error.status === 404;
  return (
    <Page
      title={`Job ${jobId.slice(0, 8)}`}
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
              Open in the playground
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
