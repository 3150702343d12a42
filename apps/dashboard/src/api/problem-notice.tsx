import { Button } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";
import { ApiProblem } from "./request.ts";

/** Shows what went wrong and what to do, and offers a retry where that can help. */
export function ProblemNotice({ problem, onRetry }: { readonly problem: unknown; readonly onRetry?: () => void }) {
  if (!(problem instanceof ApiProblem)) {
    return (
      <Notice tone="bad" title="Something went wrong in this page" announce>
        <p>If it happens again after a reload, tell the operator what you did.</p>
        <Button size="small" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={problem.message} announce>
      {problem.details.length > 0 && (
        <ul className="problem-details">
          {problem.details.map((detail) => (
            <li key={detail}>
              <code>{detail}</code>
            </li>
          ))}
        </ul>
      )}
      <p className="problem-code">
        <code>{problem.code}</code>
        {problem.requestId !== null && problem.status >= 500 && <> · request {problem.requestId}</>}
      </p>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  );
}
