import { Tabs as BaseTabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

type Tab<Value extends string> = { readonly value: Value; readonly label: string; readonly content: ReactNode };

type TabsProps<Value extends string> = {
  readonly label: string;
  readonly tabs: readonly Tab<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly actions?: ReactNode;
};

/** Tabs over one panel. Arrow keys move between them. */
export function Tabs<Value extends string>({ label, tabs, value, onChange, actions }: TabsProps<Value>) {
  return (
    <BaseTabs.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      <div className="card-header tabs-header">
        <BaseTabs.List className="tab-list" aria-label={label}>
          {tabs.map((tab) => (
            <BaseTabs.Tab key={tab.value} value={tab.value} className="tab">
              {tab.label}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {actions}
      </div>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
