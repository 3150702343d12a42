import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { savedSchemaQuery, savedSchemasQuery } from "../api/queries.ts";
import { loadPart } from "../app/load-part.ts";
import { Card } from "../design/card.tsx";
import { Select } from "../design/select.tsx";
import { SaveSchema } from "./save-schema.tsx";
import { lineOf, type Remark } from "./schema-remarks.ts";
import { type Template, templates } from "./templates.ts";
import type { CheckedSchema } from "./use-schema-check.ts";

// CodeMirror is half of the dashboard's code, so it is loaded after the page is shown.
const SchemaEditor = lazy(async () => ({
  default: (await loadPart(() => import("../editor/schema-editor.tsx"))).SchemaEditor,
}));

type SchemaCardProps = {
  readonly text: string;
  readonly instructions: string;
  readonly onChange: (text: string) => void;
  readonly onTemplate: (template: Pick<Template, "schema" | "instructions">) => void;
  readonly check: CheckedSchema;
  /** Whether the user runs the schema in spite of its doubts. */
  readonly accepted: boolean;
  readonly onAccept: (accepted: boolean) => void;
};

/** The schema: its editor and its remarks. */
export function SchemaCard({ text, instructions, onChange, onTemplate, check, accepted, onAccept }: SchemaCardProps) {
  const [goTo, setGoTo] = useState<{ at: number }>();
  const saved = useQuery(savedSchemasQuery).data?.schemas ?? [];
  const client = useQueryClient();
  const chosen = templates.find(({ schema }) => schema === text)?.id ?? "";
  const choices = [
    ...(chosen === "" ? [{ value: "", label: "Own schema" }] : []),
    ...saved.map(({ id, name, version }) => ({ value: id, label: `${name}, version ${version}` })),
    ...templates.map(({ id, title }) => ({ value: id, label: title })),
  ];
  const choose = async (id: string) => {
    const template = templates.find((one) => one.id === id);
    if (template) return onTemplate(template);
    if (id === "") return;
    const { schema, instructions } = await client.fetchQuery(savedSchemaQuery(id));
    onTemplate({ schema, instructions: instructions ?? "" });
  };
  return (
    <Card
      flush
      className="schema-card"
      title={check.kind === "json_schema" ? "JSON Schema" : "Sketch"}
      actions={
        <div className="template-select">
          <Select label="Template" options={choices} value={chosen} onChange={choose} />
          <SaveSchema schema={text} instructions={instructions} />
        </div>
      }
    >
      <div className="editor-room">
        <Suspense fallback={<pre className="editor-fallback">{text}</pre>}>
          <SchemaEditor text={text} onChange={onChange} remarks={check.remarks} goTo={goTo} />
        </Suspense>
      </div>
      <Remarks text={text} remarks={check.remarks} onGoTo={(at) => setGoTo({ at })} />
      {check.remarks.some(({ severity }) => severity === "warning") && (
        <label className="check schema-accept">
          <input type="checkbox" checked={accepted} onChange={(event) => onAccept(event.target.checked)} />
          <span>
            Run it anyway
            <small>
              The schema probably means something else than it says. Correct it, or run it as it is written.
            </small>
          </span>
        </label>
      )}
    </Card>
  );
}

type RemarksProps = {
  readonly text: string;
  readonly remarks: readonly Remark[];
  readonly onGoTo: (at: number) => void;
};

/** The remarks on the schema. The height is fixed, so that typing does not move anything below. */
function Remarks({ text, remarks, onGoTo }: RemarksProps) {
  const [first] = remarks;
  return (
    <div className="remarks" role="status">
      {first === undefined && <span className="muted">No fault found. The answer will conform to this.</span>}
      <ul>
        {remarks.map((remark) => (
          <li key={`${remark.from} ${remark.reason}`}>
            <button type="button" className={`remark remark-${remark.severity}`} onClick={() => onGoTo(remark.from)}>
              {remark.severity === "error" ? <CircleAlert aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
              <span>
                <span className="remark-line">Line {lineOf(text, remark.from)}</span> {remark.reason}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
