import { Link } from "@tanstack/react-router";
import type { ListedJob } from "@video-to-json/contract/dashboard/jobs";
import { Card } from "../design/card.tsx";
import { JobTable } from "../jobs/job-table.tsx";

/** The last jobs of the account. */
export function RecentJobs({ jobs }: { readonly jobs: readonly ListedJob[] | undefined }) {
  return (
    <Card
      title="Last jobs"
      flush
      actions={
        <Link to="/jobs" className="text-link">
          All jobs
        </Link>
      }
    >
      <JobTable jobs={jobs} skeletonRows={5} />
    </Card>
  );
}
