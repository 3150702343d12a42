import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { Card } from "../design/card.tsx";
import { CodeBlock } from "../design/code-block.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { EvidenceView } from "../evidence/evidence-view.tsx";
import { parseJson } from "../json/parse-json.ts";
import { printJson } from "../json/print-json.ts";

const indented = (text: string) => printJson(parseJson(text), 2);

/** The schema and the instructions of a job, and its answer beside them. */
export function JobContents({ job }: { readonly job: DashboardJob | undefined }) {
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
