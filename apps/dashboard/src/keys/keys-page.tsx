import "./keys.css";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { keysQuery } from "../api/queries.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { EmptyState } from "../design/display.tsx";
import { Page } from "../design/page.tsx";
import { KeyTable } from "./key-table.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** The API keys of the account: create, view, revoke. */
export function KeysPage() {
  const { data, error, refetch } = useQuery(keysQuery);
  const [creating, setCreating] = useState(false);
  const [showRevoked, setShowRevoked] = useState(false);
  const live = data?.keys.filter(({ revoked_at }) => revoked_at === null);
  const revoked = data?.keys.filter(({ revoked_at }) => revoked_at !== null) ?? [];
  const newKey = (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden="true" />
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      description="Programs and agents send a key with each request. All keys spend the minutes of this account."
      actions={newKey}
    >
      <div className="stack">
        {error && <ProblemNotice problem={error} onRetry={() => void refetch()} />}
        <Card flush>
          {live?.length === 0 ? (
            <EmptyState icon={KeyRound} title="No key yet" actions={newKey}>
              Make a key for each program. You can then see what each one spends, and revoke one without the others.
            </EmptyState>
          ) : (
            <KeyTable keys={live} />
          )}
        </Card>
        {revoked.length > 0 && (
          <div className="stack-tight">
            <div>
              <Button
                variant="quiet"
                size="small"
                aria-expanded={showRevoked}
                onClick={() => setShowRevoked(!showRevoked)}
              >
                {showRevoked ? "Hide" : "Show"} revoked keys ({revoked.length})
              </Button>
            </div>
            {showRevoked && (
              <Card flush>
                <KeyTable keys={revoked} />
              </Card>
            )}
          </div>
        )}
      </div>
      <NewKeyDialog open={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}
