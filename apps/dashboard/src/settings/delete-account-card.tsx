import { useMutation } from "@tanstack/react-query";
import type { Session } from "@video-to-json/contract/dashboard/account";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { useLeaveAccount } from "../app/use-leave-account.ts";
import { Button } from "../design/button.tsx";
import { Card } from "../design/card.tsx";
import { ConfirmDialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { SignInAgain, useIsStale } from "../sign-in/sign-in-again.tsx";

/** Deletes the account, after the user has typed its e-mail. */
export function DeleteAccountCard({ session }: { readonly session: Session | undefined }) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const isStale = useIsStale();
  const leaveAccount = useLeaveAccount();
  const remove = useMutation({
    mutationFn: () => send("DELETE", "account"),
    onSuccess: leaveAccount,
  });
  return (
    <Card title="Delete the account" className="danger-card">
      <div className="setting">
        <p className="muted">
          Keys stop working at once, and the contents of all jobs are erased. The ledger stays, and so does the fact
          that the free minutes were granted.
        </p>
        <div className="setting-control">
          <Button
            variant="danger"
            disabled={!session}
            onClick={() => {
              setTyped("");
              setOpen(true);
            }}
          >
            Delete the account
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title="Delete this account?"
        description="This cannot be undone. The free minutes are not granted again."
        action="Delete for ever"
        busy={remove.isPending}
        disabled={isStale || typed.trim().toLowerCase() !== session?.email.toLowerCase()}
        onConfirm={() => remove.mutate()}
      >
        <Field label={`Type ${session?.email ?? ""} to confirm`}>
          {(ids) => (
            <input
              {...ids}
              className="input"
              value={typed}
              autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        {isStale && <SignInAgain next="/settings" />}
        {remove.error && <ProblemNotice problem={remove.error} />}
      </ConfirmDialog>
    </Card>
  );
}
