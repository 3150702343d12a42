import type { DashboardJob } from "@video-to-json/contract/dashboard/jobs";
import { Notice } from "../design/notice.tsx";
import { failureAdvice } from "./failure-advice.ts";

/** Why a job failed, which parts of the schema its answer violated, and what to do. */
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
      <p>What to do: {failureAdvice(error.code)}</p>
      <p className="problem-code">
        <code>{error.code}</code> · nothing was charged
      </p>
    </Notice>
  );
}
