import "./start.css";
import { useQuery } from "@tanstack/react-query";
import { SquarePlay } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { overviewQuery } from "../api/queries.ts";
import { ButtonLink } from "../design/button.tsx";
import { Page } from "../design/page.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { ExampleSketches } from "./example-sketches.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { MonthCard } from "./month-card.tsx";
import { RecentJobs } from "./recent-jobs.tsx";

/** The first page: how to make the first call, and later the latest jobs. */
export function StartPage() {
  const { data, error, refetch } = useQuery(overviewQuery);
  const isNew = data !== undefined && data.recent_jobs.length === 0;
  return (
    <Page
      title={isNew ? "Welcome" : "Start"}
      description={isNew ? "From a video to JSON in two minutes." : "Your minutes and your last jobs."}
      actions={
        <ButtonLink to="/playground/{-$jobId}" params={{}} variant="primary">
          <SquarePlay aria-hidden="true" />
          Open the playground
        </ButtonLink>
      }
    >
      <div className="stack">
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        <div className="start-cards">
          <BalanceCard overview={data} />
          <MonthCard overview={data} />
        </div>
        {!isNew && <RecentJobs jobs={data?.recent_jobs} />}
        {data && <FirstSteps overview={data} isNew={isNew} />}
        {/* Nothing below may move when the first steps come. */}
        {data && <ExampleSketches />}
      </div>
    </Page>
  );
}
