import { Select as BaseSelect } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";

type Option<Value extends string> = { readonly value: Value; readonly label: string };

type SelectProps<Value extends string> = {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly id?: string;
  readonly disabled?: boolean;
};

/** A choice of a few options. `label` is its name for screen readers. */
export function Select<Value extends string>({
  label,
  options,
  value,
  onChange,
  id,
  disabled = false,
}: SelectProps<Value>) {
  return (
    <BaseSelect.Root
      items={options}
      value={value}
      disabled={disabled}
      modal={false}
      onValueChange={(next) => next !== null && onChange(next as Value)}
    >
      <BaseSelect.Trigger className="input select-trigger" aria-label={label} id={id}>
        <BaseSelect.Value />
        <BaseSelect.Icon>
          <ChevronsUpDown aria-hidden="true" />
        </BaseSelect.Icon>
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner className="popup-positioner" sideOffset={6} alignItemWithTrigger={false}>
          <BaseSelect.Popup className="popup">
            {options.map((option) => (
              <BaseSelect.Item key={option.value} value={option.value} className="popup-item">
                <BaseSelect.ItemText>{option.label}</BaseSelect.ItemText>
                <BaseSelect.ItemIndicator className="end">
                  <Check aria-hidden="true" />
                </BaseSelect.ItemIndicator>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}
