import { Link } from "@tanstack/react-router";
import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { durationText, minutesText } from "../design/format.ts";

/** The cost of a finished run, and the link to its page. */
export function AnswerFooter({ record }: { readonly record: DashboardJob }) {
  const { id, billed_seconds: billed, started_at: started, finished_at: finished } = record;
  return (
    <>
      <span>
        {billed > 0 ? (
          <>
            Billed <strong className="numeric">{minutesText(billed)}</strong>
          </>
        ) : (
          "Nothing was charged"
        )}
        {started && finished && <> · took {durationText(Date.parse(finished) - Date.parse(started))}</>}
      </span>
      <Link to="/jobs/$jobId" params={{ jobId: id }} className="text-link">
        Open the job
      </Link>
    </>
  );
}
