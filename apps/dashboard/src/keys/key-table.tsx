import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { KeyRecord } from "@video-to-json/contract/dashboard/keys";
import { useState } from "react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { sessionQuery } from "../api/queries.ts";
import { send } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { ConfirmDialog } from "../design/dialog.tsx";
import { Badge, SkeletonRows } from "../design/display.tsx";
import { agoText, countText, dateText, lastDayText, minutesText } from "../design/format.ts";
import { EditKeyDialog, RotateKeyDialog } from "./change-key-dialogs.tsx";
import { keyState } from "./key-state.ts";

/** Keys with their scopes and minutes. While they load, empty rows keep the layout still. */
export function KeyTable({ keys }: { readonly keys: readonly KeyRecord[] | undefined }) {
  const [action, setAction] = useState<{ readonly record: KeyRecord; readonly kind: ActionKind }>();
  const recordOf = (kind: ActionKind) => (action?.kind === kind ? action.record : undefined);
  const close = () => setAction(undefined);
  const now = Date.now();
  return (
    <>
      <div className="table-scroll" tabIndex={-1}>
        <table className="table key-table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">May</th>
              <th scope="col">This month</th>
              <th scope="col">Last used</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys ? (
              keys.map((key) => (
                <tr key={key.id}>
                  <td data-label="Name">
                    <div className="key-name" title={key.name}>
                      {key.name}
                    </div>
                    <code className="key-display">{key.display}…</code>
                  </td>
                  <td data-label="May">{key.scope === "extract" ? "Extract and read" : "Read only"}</td>
                  <td data-label="This month" className="numeric">
                    <MonthOfKey record={key} />
                  </td>
                  <td data-label="Last used" className="muted">
                    {key.last_used_at ? agoText(key.last_used_at, now) : "Never"}
                  </td>
                  <td data-label="Created" className="muted">
                    {dateText(key.created_at)}
                  </td>
                  <td className="end">
                    <KeyAction record={key} now={now} onAction={(kind) => setAction({ record: key, kind })} />
                  </td>
                </tr>
              ))
            ) : (
              <SkeletonRows rows={3} widths={[9, 7, 6, 5, 6, 4]} />
            )}
          </tbody>
        </table>
      </div>
      <RevokeKeyDialog record={recordOf("revoke")} onClose={close} />
      <EditKeyDialog record={recordOf("edit")} onClose={close} />
      <RotateKeyDialog record={recordOf("rotate")} onClose={close} />
    </>
  );
}

function MonthOfKey({
  record: { month_seconds: spent, monthly_limit_minutes: limit },
}: {
  readonly record: KeyRecord;
}) {
  if (limit === null) return minutesText(spent);
  const share = Math.min(1, spent / (limit * 60));
  return (
    <div className="key-month">
      <span>
        {minutesText(spent)} <span className="muted">of {countText(limit)}</span>
      </span>
      <div className="meter" aria-hidden="true">
        <div className="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

type ActionKind = "edit" | "rotate" | "revoke";
type KeyActionProps = {
  readonly record: KeyRecord;
  readonly now: number;
  readonly onAction: (kind: ActionKind) => void;
};

function KeyAction({ record, now, onAction }: KeyActionProps) {
  const minimumSeconds = useQuery(sessionQuery).data?.limits.minimum_billed_seconds ?? 1;
  const state = keyState(record, now, minimumSeconds);
  if (state === "revoked") return <Badge>Revoked {record.revoked_at && dateText(record.revoked_at)}</Badge>;
  return (
    <div className="key-actions">
      {state === "ended" && <Badge>Ended {record.ends_at && dateText(record.ends_at)}</Badge>}
      {state === "limited" && <Badge tone="warn">Limit reached</Badge>}
      {state === "live" && record.ends_at !== null && <Badge plain>Until {lastDayText(record.ends_at)}</Badge>}
      {state !== "ended" && (
        <>
          <Button size="small" onClick={() => onAction("edit")} aria-label={`Edit ${record.name}`}>
            Edit
          </Button>
          <Button size="small" onClick={() => onAction("rotate")} aria-label={`Rotate ${record.name}`}>
            Rotate
          </Button>
        </>
      )}
      <Button size="small" onClick={() => onAction("revoke")} aria-label={`Revoke ${record.name}`}>
        Revoke
      </Button>
    </div>
  );
}

type RevokeKeyDialogProps = { readonly record: KeyRecord | undefined; readonly onClose: () => void };

/** Asks for confirmation, then revokes a key. The dialog is open while `record` is set. */
function RevokeKeyDialog({ record, onClose }: RevokeKeyDialogProps) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => send("DELETE", `keys/${id}`),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ["keys"] }),
        client.invalidateQueries({ queryKey: ["overview"] }),
      ]);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open={record !== undefined}
      onClose={() => {
        revoke.reset();
        onClose();
      }}
      title={`Revoke ${record?.name ?? "the key"}?`}
      description={
        <>
          Requests with <code>{record?.display}…</code> are refused at once. This cannot be undone. Jobs that run
          already finish.
        </>
      }
      action="Revoke the key"
      busy={revoke.isPending}
      onConfirm={() => record && revoke.mutate(record.id)}
    >
      {revoke.error && <ProblemNotice problem={revoke.error} />}
    </ConfirmDialog>
  );
}
