import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { NewSchema } from "@video-to-json/contract/dashboard/schemas";
import { Save, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { savedSchemasQuery } from "../api/queries.ts";
import { send } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Field } from "../design/field.tsx";
import { dateText } from "../design/format.ts";

/** Saves the schema and the instructions of the page by a name, and deletes saved versions. */
export function SaveSchema({ schema, instructions }: { readonly schema: string; readonly instructions: string }) {
  const [open, setOpen] = useState(false);
  const saved = useQuery(savedSchemasQuery).data?.schemas ?? [];
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: savedSchemasQuery.queryKey });
  const remove = useMutation({ mutationFn: (id: string) => send("DELETE", `schemas/${id}`), onSuccess });
  const save = useMutation({
    mutationFn: (body: NewSchema) => send("POST", "schemas", body),
    onSuccess: async () => {
      await onSuccess();
      setOpen(false);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
    save.mutate({ name, schema, instructions: instructions === "" ? null : instructions });
  };
  const problem = save.error ?? remove.error;
  return (
    <>
      <Button
        variant="quiet"
        iconOnly
        aria-label="Save the schema"
        title="Save the schema"
        onClick={() => setOpen(true)}
      >
        <Save aria-hidden="true" />
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Save the schema"
        description="With its instructions. A name that exists already gets its next version."
      >
        <form onSubmit={submit}>
          <div className="dialog-body">
            {problem && <ProblemNotice problem={problem} />}
            <Field label="Name">
              {(ids) => (
                <input
                  {...ids}
                  className="input"
                  name="name"
                  required
                  maxLength={100}
                  pattern=".*\S.*"
                  list="saved-names"
                  placeholder="goals of a match"
                  autoComplete="off"
                />
              )}
            </Field>
            <datalist id="saved-names">
              {[...new Set(saved.map(({ name }) => name))].map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
            <ul className="saved-schemas">
              {saved.map(({ id, name, version, created_at }) => (
                <li key={id} className="row">
                  <span>
                    {name}, version {version} <span className="muted">{dateText(created_at)}</span>
                  </span>
                  <Button
                    variant="quiet"
                    size="small"
                    iconOnly
                    aria-label={`Delete ${name}, version ${version}`}
                    onClick={() => remove.mutate(id)}
                  >
                    <Trash2 aria-hidden="true" />
                  </Button>
                </li>
              ))}
            </ul>
          </div>
          <div className="dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" variant="primary" busy={save.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
