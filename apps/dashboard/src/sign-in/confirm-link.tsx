import { useMutation, useQuery } from "@tanstack/react-query";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery } from "../api/queries.ts";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/notice.tsx";

type ConfirmLinkProps = {
  readonly email: string;
  /** Throws the problem of a refused code. */
  readonly onConfirm: () => Promise<void>;
  readonly onCancel: () => void;
};

/** Asks before a link that was made for another browser signs in. Any page can open such a link. */
export function ConfirmLink({ email, onConfirm, onCancel }: ConfirmLinkProps) {
  const { data: session } = useQuery({ ...sessionQuery, retry: false });
  const confirm = useMutation({ mutationFn: onConfirm });
  return (
    <div className="sign-in-form">
      <header>
        <h1>Sign in as this address?</h1>
        <p>
          <strong className="sign-in-address">{email}</strong>
        </p>
      </header>
      <Notice tone="warn" title="The address asked for this sign-in elsewhere">
        {session && <p>You are signed in as {session.email}. This replaces that sign-in.</p>}
        Everything that you do then belongs to the account of {email}. Continue only if you asked for it yourself.
      </Notice>
      {confirm.error && <ProblemNotice problem={confirm.error} />}
      <Button variant="primary" size="large" busy={confirm.isPending} onClick={() => confirm.mutate()}>
        Sign in as {email}
      </Button>
      <div className="row sign-in-other">
        <Button variant="quiet" size="small" onClick={onCancel}>
          Do not sign in
        </Button>
      </div>
    </div>
  );
}
