import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";
import { Field } from "../design/field.tsx";
import { requestCode } from "./email-form.tsx";

const length = 8;

/** Writes a code as the message does, with a dash in the middle. */
function withDash(code: string): string {
  return code.length > length / 2 ? `${code.slice(0, length / 2)}-${code.slice(length / 2)}` : code;
}

type CodeFormProps = {
  readonly email: string;
  readonly mail: "smtp" | "log";
  /** Throws the problem of a refused code. */
  readonly onCode: (code: string) => Promise<void>;
  readonly onOtherEmail: () => void;
};

/** Asks for the code. The last letter sends it. */
export function CodeForm({ email, mail, onCode, onOtherEmail }: CodeFormProps) {
  const [code, setCode] = useState("");
  const check = useMutation({ mutationFn: onCode, onError: () => setCode("") });
  const again = useMutation({ mutationFn: () => requestCode(email) });
  const change = (text: string) => {
    const next = text
      .replace(/[^a-z]/gi, "")
      .slice(0, length)
      .toUpperCase();
    setCode(next);
    if (next.length === length && !check.isPending) check.mutate(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === length && !check.isPending) check.mutate(code);
  };
  return (
    <form onSubmit={submit} className="sign-in-form">
      <header>
        <h1>Enter the code</h1>
        <p className="muted">
          {mail === "smtp" ? "We sent it to" : "It is for"} <strong className="sign-in-address">{email}</strong>
        </p>
      </header>
      {mail === "log" && (
        <Notice title="This service sends no mail">
          No mail server is set, so the code is in the API's log. Set <code>SMTP_URL</code> to send mail.
        </Notice>
      )}
      {check.error && <ProblemNotice problem={check.error} />}
      {again.error && <ProblemNotice problem={again.error} />}
      <Field label="Code" note={again.isSuccess ? "A new code is sent. The earlier one no longer works." : undefined}>
        {(ids) => (
          <input
            {...ids}
            className="input code-input"
            name="code"
            autoCapitalize="characters"
            spellCheck={false}
            autoComplete="one-time-code"
            placeholder="XXXX-XXXX"
            value={withDash(code)}
            onChange={(event) => change(event.target.value)}
            readOnly={check.isPending}
            // biome-ignore lint/a11y/noAutofocus: the code is what this step is for
            autoFocus
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="large" busy={check.isPending} disabled={code.length < length}>
        Sign in
      </Button>
      <div className="row sign-in-other">
        <Button variant="quiet" size="small" busy={again.isPending} onClick={() => again.mutate()}>
          Send a new code
        </Button>
        <Button variant="quiet" size="small" onClick={onOtherEmail}>
          Use another e-mail
        </Button>
      </div>
    </form>
  );
}
