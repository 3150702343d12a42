import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { rememberSignedIn } from "../app/session-hint.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";

/** Ends every session of the account, including this one. */
export function SessionsCard() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const revoke = useMutation({
    mutationFn: () => send("POST", "auth/revoke-sessions", {}),
    onSuccess: async () => {
      rememberSignedIn(false);
      await navigate({ to: "/sign-in" });
      client.clear();
    },
  });
  return (
    <Card title="Sessions">
      <div className="setting">
        <p className="muted">Signs you out in every browser, here too. API keys stay valid.</p>
        <div className="setting-control">
          <Button busy={revoke.isPending} onClick={() => revoke.mutate()}>
            Sign out everywhere
          </Button>
        </div>
      </div>
      {revoke.error && <ProblemNotice problem={revoke.error} />}
    </Card>
  );
}
