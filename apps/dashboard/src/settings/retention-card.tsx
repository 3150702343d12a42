import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Retention } from "@video-to-json/contract/dashboard/retention";
import type { Session } from "@video-to-json/contract/dashboard/sign-in";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery } from "../api/queries.ts";
import { send } from "../api/request.ts";
import { Card } from "../design/card.tsx";
import { Select } from "../design/select.tsx";

const choices = [
  { value: "keep", label: "Keep for ever", days: null },
  { value: "30", label: "Delete after 30 days", days: 30 },
  { value: "7", label: "Delete after 7 days", days: 7 },
  { value: "1", label: "Delete after 1 day", days: 1 },
] as const;
type Choice = (typeof choices)[number]["value"];

/** How long the contents of jobs are kept. */
export function RetentionCard({ session }: { readonly session: Session | undefined }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (days: Retention["days"]) => send<Retention>("PUT", "account/retention", { days }),
    onSuccess: ({ days }) =>
      client.setQueryData(sessionQuery.queryKey, (before) => before && { ...before, retention_days: days }),
  });
  const days = change.isPending ? change.variables : (session?.retention_days ?? null);
  const value: Choice = choices.find((choice) => choice.days === days)?.value ?? "keep";
  return (
    <Card title="Contents of jobs">
      <div className="setting">
        <p className="muted">
          Schema, instructions and answers of finished jobs. Videos are deleted when their job finishes, whatever you
          choose here. What a job cost stays in the ledger.
        </p>
        <div className="setting-control">
          <Select
            label="Keep the contents of jobs"
            options={choices}
            value={value}
            disabled={!session}
            onChange={(next: Choice) => change.mutate(choices.find((choice) => choice.value === next)?.days ?? null)}
          />
          <span className="visually-hidden" role="status">
            {change.isSuccess ? "Saved" : ""}
          </span>
        </div>
      </div>
      {change.error && <ProblemNotice problem={change.error} />}
    </Card>
  );
}
