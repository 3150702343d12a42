import type { KeyScope, NewKey } from "@video-to-json/contract/dashboard/keys";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { Button } from "../design/button.tsx";
import { Field } from "../design/field.tsx";
import { endOfDay, lastDay } from "./key-state.ts";

const scopes: readonly { value: KeyScope; label: string; note: string }[] = [
  { value: "extract", label: "Extract and read", note: "Runs extractions and reads jobs." },
  { value: "read", label: "Read only", note: "Reads jobs and the balance, and spends nothing." },
];

type KeyFormProps = {
  /** The proposed values: no name, `extract` and no limits by default. */
  readonly proposed?: Pick<NewKey, "name" | "scope"> & Partial<Pick<NewKey, "monthly_limit_minutes" | "ends_at">>;
  /** Whether the scope stays as it is and is not shown. */
  readonly keepsScope?: boolean;
  /** What the reader agrees to; "Make the key" by default. */
  readonly action?: string;
  readonly problem: unknown;
  readonly busy: boolean;
  readonly onSubmit: (key: NewKey) => void;
  readonly onCancel: () => void;
};

/** Asks for the name, the scope and the limits of a new key. */
export function KeyForm({
  proposed = { name: "", scope: "extract" },
  keepsScope = false,
  action = "Make the key",
  problem,
  busy,
  onSubmit,
  onCancel,
}: KeyFormProps) {
  const [scope, setScope] = useState<KeyScope>(proposed.scope);
  const { monthly_limit_minutes: limit = null, ends_at: end = null } = proposed;
  const day = end === null ? "" : lastDay(end);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    onSubmit({
      name: text("name"),
      scope,
      monthly_limit_minutes: text("limit") === "" ? null : Number(text("limit")),
      // A day that was not changed keeps its hour.
      ends_at: text("end") === day ? end : text("end") === "" ? null : endOfDay(text("end")),
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
        {!keepsScope && <Choices legend="It may" name="scope" choices={scopes} value={scope} onChange={setScope} />}
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
                defaultValue={limit ?? ""}
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
              <input
                {...ids}
                className="input"
                name="end"
                type="date"
                min={new Date().toISOString().slice(0, 10)}
                defaultValue={day}
              />
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

type ChoicesProps<Value extends string> = {
  readonly legend: string;
  readonly name: string;
  readonly choices: readonly { readonly value: Value; readonly label: string; readonly note: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
};

/** Asks for one of a few choices, each with a note. */
export function Choices<Value extends string>({ legend, name, choices, value, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="choices">
      <legend className="field-label">{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="choice">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={value === choice.value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            {choice.label}
            <span className="field-note">{choice.note}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
