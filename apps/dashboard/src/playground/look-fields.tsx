import { Field } from "../design/field.tsx";
import { Select } from "../design/select.tsx";
import type { Look } from "./look.ts";

type LookFieldsProps = {
  readonly look: Look;
  readonly fault: string | undefined;
  readonly onChange: (look: Look) => void;
};

/** The fields for the clip and the detail of a run. */
export function LookFields({ look, fault, onChange }: LookFieldsProps) {
  const bound = (name: "start" | "end", label: string) => (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          className="input numeric"
          inputMode="numeric"
          placeholder="MM:SS"
          maxLength={5}
          size={6}
          value={look[name]}
          onChange={(event) => onChange({ ...look, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="look-fields">
      <div className="row look-row">
        {bound("start", "From")}
        {bound("end", "To")}
        <Field label="Detail">
          {({ id }) => (
            <Select
              id={id}
              label="Detail"
              options={detailOptions}
              value={look.detail}
              onChange={(detail) => onChange({ ...look, detail })}
            />
          )}
        </Field>
      </div>
      <p className="field-note" role="status">
        {fault ?? "Empty: the whole video. Only the part between the two times is analysed and billed."}
      </p>
    </div>
  );
}

const detailOptions = [
  { value: "low", label: "Low" },
  { value: "standard", label: "Standard" },
  { value: "high", label: "High" },
] as const;
