import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { Notice } from "../design/notice.tsx";

/** Why a job failed and what to do, as its message says, and which parts of the schema its answer violated. */
export function JobFailure({ error }: { readonly error: NonNullable<DashboardJob["error"]> }) {
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
