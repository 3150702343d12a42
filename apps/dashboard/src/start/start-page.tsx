import "./start.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Overview } from "@video-to-json/contract/dashboard/account";
import type { ListedJob } from "@video-to-json/contract/dashboard/jobs";
import { ArrowRight, SquarePlay } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { overviewQuery } from "../api/queries.ts";
import { ButtonLink } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { Skeleton } from "../design/display.tsx";
import { countText, minutesText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { JobTable } from "../jobs/job-table.tsx";
import { examples } from "./examples.ts";
import { FirstSteps } from "./first-steps.tsx";
import { NoMinutesNotice } from "./no-minutes-notice.tsx";

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
        <NoMinutesNotice overview={data} />
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

/** The balance in minutes, with a bar that shows its part of all granted minutes. */
function BalanceCard({ overview }: { readonly overview: Overview | undefined }) {
  const left = overview?.balance_seconds ?? 0;
  const granted = overview?.granted_seconds ?? 0;
  const share = granted > 0 ? Math.max(0, Math.min(1, left / granted)) : 0;
  return (
    <Card className="figure-card">
      <h2 className="figure-name">Minutes left</h2>
      <p className="figure">{overview ? minutesText(left) : <Skeleton width={4.5} />}</p>
      <div className="meter" role="img" aria-label={`${Math.round(share * 100)} % of the granted minutes are left`}>
        <div className="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
      <p className="figure-note">
        {overview ? (
          <>
            of {minutesText(granted)} granted
            {overview.held_seconds > 0 && <> · {minutesText(overview.held_seconds)} held for running jobs</>}
          </>
        ) : (
          <Skeleton width={11} />
        )}
      </p>
    </Card>
  );
}

/** Three sketches that open in the playground. */
function ExampleSketches() {
  return (
    <section className="stack-tight">
      <header>
        <h2 className="section-title">Ask for what you need</h2>
        <p className="muted">A sketch is an example of the answer. Open one in the playground and change it.</p>
      </header>
      <ul className="sketches">
        {examples.map(({ id, title, about, schema }) => (
          <li key={id} className="card sketch">
            <h3>
              <Link to="/playground/{-$jobId}" params={{}} search={{ template: id }} className="row-anchor">
                {title} <ArrowRight aria-hidden="true" />
              </Link>
            </h3>
            <p className="muted">{about}</p>
            <pre aria-hidden="true">{schema}</pre>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The cost and the jobs of this calendar month (UTC). */
function MonthCard({ overview }: { readonly overview: Overview | undefined }) {
  const month = overview?.month;
  const figures = [
    { name: "Billed this month", value: month && minutesText(month.billed_seconds) },
    { name: "Succeeded", value: month && countText(month.succeeded) },
    { name: "Failed, free of charge", value: month && countText(month.failed) },
  ];
  return (
    <Card className="figure-card">
      <dl className="month-figures">
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt className="figure-name">{name}</dt>
            <dd className="figure">{value ?? <Skeleton width={2.5} />}</dd>
          </div>
        ))}
      </dl>
      <p className="figure-note">
        <Link to="/usage" className="text-link">
          See what each minute was spent on
        </Link>
      </p>
    </Card>
  );
}

/** The last jobs of the account. */
function RecentJobs({ jobs }: { readonly jobs: readonly ListedJob[] | undefined }) {
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
