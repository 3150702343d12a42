import "./jobs.css";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ListVideo, SearchX } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { type JobFilters, jobsQuery, keysQuery } from "../api/queries.ts";
import { Button, ButtonLink } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { EmptyState } from "../design/display.tsx";
import { Page } from "../design/page.tsx";
import { JobFilterBar } from "./job-filter-bar.tsx";
import { JobTable } from "./job-table.tsx";

/** The jobs of the account, newest first. The filters are part of the address. */
export function JobsPage() {
  const filters = useSearch({ from: "/signed-in/jobs" });
  const navigate = useNavigate({ from: "/jobs" });
  const keys = useQuery(keysQuery).data?.keys;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(jobsQuery(filters));
  const jobs = data?.pages.flatMap((page) => page.jobs);
  const isFiltered = Object.keys(filters).length > 0;
  const change = (next: JobFilters) => void navigate({ search: next, replace: true });
  return (
    <Page
      title="Jobs"
      description="Every extraction of this account, from the API, from agents and from the playground."
      actions={
        <ButtonLink to="/refusals" params={{}}>
          Refused requests
        </ButtonLink>
      }
    >
      <div className="stack-tight">
        <JobFilterBar filters={filters} keys={keys} onChange={change} />
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        <Card flush>
          {jobs?.length === 0 ? (
            isFiltered ? (
              <EmptyState
                icon={SearchX}
                title="No job passes these filters"
                actions={<Button onClick={() => change({})}>Clear the filters</Button>}
              >
                Try another day, another status or another key.
              </EmptyState>
            ) : (
              <EmptyState
                icon={ListVideo}
                title="No job yet"
                actions={
                  <ButtonLink to="/playground/{-$jobId}" params={{}} variant="primary">
                    Open the playground
                  </ButtonLink>
                }
              >
                Run a video in the playground, or call the API. Each extraction appears here with its answer and its
                cost.
              </EmptyState>
            )
          ) : (
            <JobTable jobs={jobs} skeletonRows={12} />
          )}
        </Card>
        {hasNextPage && (
          <div className="more">
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </Page>
  );
}
