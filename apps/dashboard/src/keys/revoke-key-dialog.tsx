import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { KeyRecord } from "@video-to-json/contract/dashboard/keys";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { ConfirmDialog } from "../design/dialog.tsx";

type RevokeKeyDialogProps = { readonly record: KeyRecord | undefined; readonly onClose: () => void };

/** Asks for confirmation, then revokes a key. The dialog is open while `record` is set. */
export function RevokeKeyDialog({ record, onClose }: RevokeKeyDialogProps) {
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
