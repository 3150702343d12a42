import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, KeyChange, KeyRecord, KeyRotation } from "@video-to-json/contract/dashboard/keys";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { SignInAgain, useIsStale } from "../sign-in/sign-in-again.tsx";
import { Choices, KeyForm } from "./key-form.tsx";
import { CreatedKeyView } from "./new-key-dialog.tsx";

type Props = { readonly record: KeyRecord | undefined; readonly onClose: () => void };

/** Changes the name and the limits of a key. The dialog is open while `record` is set. */
export function EditKeyDialog({ record, onClose }: Props) {
  const client = useQueryClient();
  const isStale = useIsStale();
  const change = useMutation({
    mutationFn: ({ id, ...body }: KeyChange & { id: string }) => send<KeyRecord>("PUT", `keys/${id}`, body),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["keys"] });
      onClose();
    },
  });
  return (
    <Dialog
      open={record !== undefined}
      onClose={onClose}
      onClosed={change.reset}
      title={`Edit ${record?.name ?? "the key"}`}
      description="What the key may do stays as it is. New limits hold from its next request on."
    >
      {isStale ? (
        <div className="dialog-body">
          <SignInAgain next="/keys" />
        </div>
      ) : (
        record && (
          <KeyForm
            proposed={record}
            keepsScope
            action="Save"
            problem={change.error}
            busy={change.isPending}
            onSubmit={({ name, monthly_limit_minutes, ends_at }) =>
              change.mutate({ id: record.id, name, monthly_limit_minutes, ends_at })
            }
            onCancel={onClose}
          />
        )
      )}
    </Dialog>
  );
}

type Overlap = KeyRotation["overlap"];

const overlaps: readonly { value: Overlap; label: string; note: string }[] = [
  { value: "now", label: "Now", note: "Programs with the old key are refused until they have the new one." },
  { value: "hour", label: "In an hour", note: "For one program that you change by hand." },
  { value: "day", label: "In a day", note: "For a release today." },
  { value: "week", label: "In a week", note: "For programs that others run." },
];

/** Replaces a key by a new one, and shows that once. The dialog is open while `record` is set. */
export function RotateKeyDialog({ record, onClose }: Props) {
  const client = useQueryClient();
  const isStale = useIsStale();
  const [overlap, setOverlap] = useState<Overlap>("day");
  const rotate = useMutation({
    mutationFn: (id: string) => send<CreatedKey>("POST", `keys/${id}/rotate`, { overlap } satisfies KeyRotation),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["keys"] }),
        client.invalidateQueries({ queryKey: ["overview"] }),
      ]),
    gcTime: 0,
  });
  const created = rotate.data;
  return (
    <Dialog
      open={record !== undefined}
      onClose={onClose}
      // The page then forgets the key.
      onClosed={rotate.reset}
      insistent={created !== undefined}
      title={created ? "Copy your new key now" : `Rotate ${record?.name ?? "the key"}?`}
      description={
        created
          ? "It is shown only now. Only a hash of it is stored."
          : "A new key gets the same name, rights, limit and end. Both have one count of the month."
      }
    >
      {created ? (
        <CreatedKeyView created={created} onClose={onClose} />
      ) : (
        <>
          <div className="dialog-body">
            {isStale && <SignInAgain next="/keys" />}
            {rotate.error && <ProblemNotice problem={rotate.error} />}
            {!isStale && (
              <Choices
                legend="The old key ends"
                name="overlap"
                choices={overlaps}
                value={overlap}
                onChange={setOverlap}
              />
            )}
          </div>
          <div className="dialog-actions">
            <Button onClick={onClose}>Cancel</Button>
            <Button
              variant="primary"
              busy={rotate.isPending}
              disabled={isStale}
              onClick={() => record && rotate.mutate(record.id)}
            >
              Rotate the key
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
