import "./jobs.css";
import { useQuery } from "@tanstack/react-query";
import { Ban } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { refusalsQuery } from "../api/queries.ts";
import { ButtonLink } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { EmptyState } from "../design/display.tsx";
import { countText, dateTimeText } from "../design/format.ts";
import { Page } from "../design/page.tsx";

/** The requests that were refused before they became jobs, with what to do about each. */
export function RefusalsPage() {
  const { data, error, refetch } = useQuery(refusalsQuery);
  return (
    <Page
      title="Refused requests"
      description="Requests of the last seven days that were refused before they became jobs. None was charged, and no contents are kept."
      actions={
        <ButtonLink to="/jobs" params={{}}>
          Jobs
        </ButtonLink>
      }
    >
      <div className="stack">
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        {data?.refusals.length === 0 && (
          <Card flush>
            <EmptyState icon={Ban} title="Nothing was refused">
              A request with a wrong schema, without minutes or with an ended key appears here within seconds.
            </EmptyState>
          </Card>
        )}
        {data && data.refusals.length > 0 && (
          <Card flush>
            <ul className="refusals">
              {data.refusals.map((refusal) => (
                <li key={`${refusal.request_id} ${refusal.code} ${refusal.route}`}>
                  <strong>{refusal.title}</strong>
                  <span className="numeric">{countText(refusal.count)} ×</span>
                  <p>
                    <Advice text={refusal.advice} />
                  </p>
                  <p className="field-note">
                    <code>{refusal.code}</code> · <code>{refusal.route}</code> ·{" "}
                    {refusal.key ? refusal.key.name : "Playground"} · {dateTimeText(refusal.last_at)} · request{" "}
                    <code>{refusal.request_id}</code>
                  </p>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </Page>
  );
}

/** The advice of the catalogue, in which code stands between backticks, with the address of this service. */
function Advice({ text }: { readonly text: string }) {
  const parts = text.replaceAll("<PUBLIC_URL>", location.origin).split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part : <code key={part}>{part}</code>));
}
