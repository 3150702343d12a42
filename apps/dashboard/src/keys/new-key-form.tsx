import type { KeyScope, NewKey } from "@video-to-json/contract/dashboard/keys";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { endOfDay } from "./key-state.ts";

const scopes: readonly { value: KeyScope; label: string; note: string }[] = [
  { value: "extract", label: "Extract and read", note: "Runs extractions and reads jobs." },
  { value: "read", label: "Read only", note: "Reads jobs and the balance, and spends nothing." },
];

type NewKeyFormProps = {
  /** The name and the scope that are proposed; nothing and `extract` by default. */
  readonly proposed?: { readonly name: string; readonly scope: KeyScope };
  /** What the reader agrees to; "Make the key" by default. */
  readonly action?: string;
  readonly problem: unknown;
  readonly busy: boolean;
  readonly onSubmit: (key: NewKey) => void;
  readonly onCancel: () => void;
};

/** Asks for the name, the scope and the limits of a new key. */
export function NewKeyForm({
  proposed = { name: "", scope: "extract" },
  action = "Make the key",
  problem,
  busy,
  onSubmit,
  onCancel,
}: NewKeyFormProps) {
  const [scope, setScope] = useState<KeyScope>(proposed.scope);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    onSubmit({
      name: text("name"),
      scope,
      monthly_limit_minutes: text("limit") === "" ? null : Number(text("limit")),
      ends_at: text("end") === "" ? null : endOfDay(text("end")),
    });
  };
  return (
    <form onSubmit={submit}>
      <div className="dialog-body">
        {problem ? <ProblemNotice problem={problem} /> : null}
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              className="input"
              name="name"
              defaultValue={proposed.name}
              required
              maxLength={100}
              pattern=".*\S.*"
              placeholder="production server"
              autoComplete="off"
              // biome-ignore lint/a11y/noAutofocus: the dialog, or the page, opens for this field
              autoFocus
            />
          )}
        </Field>
        <fieldset className="choices">
          <legend className="field-label">It may</legend>
          {scopes.map(({ value, label, note }) => (
            <label key={value} className="choice">
              <input
                type="radio"
                name="scope"
                value={value}
                checked={scope === value}
                onChange={() => setScope(value)}
              />
              <span>
                {label}
                <span className="field-note">{note}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <div className="field-pair">
          <Field
            label={
              <>
                Minutes a month <span className="muted">(optional)</span>
              </>
            }
          >
            {(ids) => (
              <input
                {...ids}
                className="input"
                name="limit"
                type="number"
                min={1}
                max={1_000_000}
                step={1}
                inputMode="numeric"
                placeholder="No limit"
                disabled={scope === "read"}
              />
            )}
          </Field>
          <Field
            label={
              <>
                Last day <span className="muted">(optional)</span>
              </>
            }
          >
            {(ids) => (
              <input {...ids} className="input" name="end" type="date" min={new Date().toISOString().slice(0, 10)} />
            )}
          </Field>
        </div>
      </div>
      <div className="dialog-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
