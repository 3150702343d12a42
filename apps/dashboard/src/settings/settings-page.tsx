import "./settings.css";
import { useQuery } from "@tanstack/react-query";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery } from "../api/queries.ts";
import { Card } from "../design/card.tsx";
import { dateText } from "../design/format.ts";
import { Page } from "../design/page.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { DeleteAccountCard } from "./delete-account-card.tsx";
import { RetentionCard } from "./retention-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The settings of an account, and its deletion. */
export function SettingsPage() {
  const { data: session, error } = useQuery(sessionQuery);
  return (
    <Page title="Settings" description="Your account and what is kept for it.">
      <div className="stack settings">
        {error && <ProblemNotice problem={error} />}
        <Card title="Account">
          <dl className="facts account-facts">
            <div>
              <dt>E-mail</dt>
              <dd>{session?.email ?? <Skeleton width={10} />}</dd>
            </div>
            <div>
              <dt>Since</dt>
              <dd>{session ? dateText(session.created_at) : <Skeleton width={6} />}</dd>
            </div>
            <div>
              <dt>Account id</dt>
              <dd className="mono">{session?.account_id ?? <Skeleton width={18} />}</dd>
            </div>
          </dl>
        </Card>
        <RetentionCard session={session} />
        <SessionsCard />
        <DeleteAccountCard session={session} />
      </div>
    </Page>
  );
}
