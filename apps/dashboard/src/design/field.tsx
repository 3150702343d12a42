import { type ReactNode, useId } from "react";

/** The attributes that connect a control to its label, its note and its error. */
type FieldIds = { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined };

type FieldProps = {
  readonly label: ReactNode;
  readonly note?: ReactNode;
  readonly error?: string | undefined;
  readonly children: (ids: FieldIds) => ReactNode;
};

/** A label and a control, with a note and an error. */
export function Field({ label, note, error, children }: FieldProps) {
  const id = useId();
  const described = [note !== undefined && `${id}-note`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {note !== undefined && (
        <p className="field-note" id={`${id}-note`}>
          {note}
        </p>
      )}
    </div>
  );
}
