import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";
import { Field } from "../design/field.tsx";

type EmailFormProps = {
  readonly email: string;
  readonly problem: ReactNode;
  /** Whether codes reach anybody. */
  readonly sendsMail: boolean;
  readonly onSent: (email: string) => void;
  /** Signs in with a passkey, where passkeys work. Throws its problem. */
  readonly onPasskey: (() => Promise<void>) | undefined;
};

/** Asks for the e-mail and requests a code for it, or for a passkey. */
export function EmailForm({ email, problem, sendsMail, onSent, onPasskey }: EmailFormProps) {
  const request = useMutation({ mutationFn: requestCode, onSuccess: (_, address) => onSent(address) });
  const passkey = useMutation({ mutationFn: async () => onPasskey?.() });
  const failure = request.error ?? passkey.error;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const address = String(new FormData(event.currentTarget).get("email")).trim();
    if (address !== "") request.mutate(address);
  };
  return (
    <form onSubmit={submit} className="sign-in-form">
      <header>
        <h1>Sign in or sign up</h1>
        <p className="muted">We send a code to your e-mail. The first sign-in makes your account.</p>
      </header>
      {!sendsMail && (
        <Notice title="This service sends no mail yet">
          Until its operator sets <code>SMTP_URL</code>, only a passkey signs in.
        </Notice>
      )}
      {failure ? <ProblemNotice problem={failure} /> : problem}
      <Field label="E-mail">
        {(ids) => (
          <input
            {...ids}
            className="input sign-in-input"
            name="email"
            type="email"
            autoComplete="email"
            placeholder="you@company.com"
            defaultValue={email}
            required
            // biome-ignore lint/a11y/noAutofocus: it is the only thing on this page
            autoFocus
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="large" busy={request.isPending} disabled={!sendsMail}>
        Continue
      </Button>
      {onPasskey && (
        <Button size="large" busy={passkey.isPending} onClick={() => passkey.mutate()}>
          Sign in with a passkey
        </Button>
      )}
    </form>
  );
}

/** Requests a code for an e-mail. The answer does not reveal whether the account exists. Throws: `ApiProblem`. */
export async function requestCode(email: string): Promise<void> {
  await send("POST", "auth/email-otp/send-verification-otp", { email, type: "sign-in" });
}
