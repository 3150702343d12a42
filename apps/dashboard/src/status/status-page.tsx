import "./status.css";
import { useQuery } from "@tanstack/react-query";
import type { ServiceStatus } from "@video-to-json/contract/dashboard/account";
import type { ReactNode } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { statusQuery } from "../api/queries.ts";
import { Card } from "../design/card.tsx";
import { Badge, Skeleton } from "../design/display.tsx";
import { agoText, durationText } from "../design/format.ts";
import { Page } from "../design/page.tsx";

/** The state of the service for people: whether it works, and how long jobs wait. */
export function StatusPage() {
  const { data, error, refetch } = useQuery(statusQuery);
  return (
    <Page title="Status" description="The service now. This page reads it again every 15 seconds.">
      <div className="stack">
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        <Card flush>
          <ul className="status-list">
            <StatusRow name="Service" note="Answers requests">
              {data ? (
                <Badge tone="good">Up</Badge>
              ) : error ? (
                <Badge tone="bad">No answer</Badge>
              ) : (
                <Skeleton width={4} />
              )}
            </StatusRow>
            <StatusRow name="Model" note={data ? modelNote(data) : "What the last jobs say"}>
              {data ? <ModelBadge status={data} /> : <Skeleton width={4} />}
            </StatusRow>
            <StatusRow name="Queue" note="How long the oldest waiting job waits">
              {data ? <QueueBadge seconds={data.queue_wait_seconds} /> : <Skeleton width={4} />}
            </StatusRow>
            <StatusRow name="Version" note="Of the API">
              <code>{data?.version ?? <Skeleton width={3} />}</code>
            </StatusRow>
          </ul>
        </Card>
      </div>
    </Page>
  );
}

type StatusRowProps = { readonly name: string; readonly note: string; readonly children: ReactNode };

function StatusRow({ name, note, children }: StatusRowProps) {
  return (
    <li>
      <div>
        <h2>{name}</h2>
        <p className="muted">{note}</p>
      </div>
      {children}
    </li>
  );
}

function ModelBadge({ status: { provider } }: { readonly status: ServiceStatus }) {
  if (provider.reachable === null) return <Badge>Not asked lately</Badge>;
  return provider.reachable ? <Badge tone="good">Reachable</Badge> : <Badge tone="bad">Unreachable</Badge>;
}

function modelNote({ provider: { reachable, since } }: ServiceStatus): string {
  if (since === null || reachable === null) return "No job has used it in the last hour";
  return `What the last job said, ${agoText(since, Date.now())}`;
}

function QueueBadge({ seconds }: { readonly seconds: number }) {
  if (seconds < 1) return <Badge tone="good">No wait</Badge>;
  return <Badge tone={seconds < 30 ? "warn" : "bad"}>{durationText(seconds * 1000)}</Badge>;
}
