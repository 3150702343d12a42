import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { send } from "../api/request.ts";
import { ConfirmDialog } from "../design/dialog.tsx";

type DeleteJobDialogProps = { readonly jobId: string; readonly open: boolean; readonly onClose: () => void };

/** Asks for confirmation, then deletes the contents of a job and leaves its page. */
export function DeleteJobDialog({ jobId, open, onClose }: DeleteJobDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const erase = useMutation({
    mutationFn: () => send("DELETE", `jobs/${jobId}`),
    onSuccess: async () => {
      onClose();
      await navigate({ to: "/jobs" });
      client.removeQueries({ queryKey: ["job", jobId] });
      await Promise.all([
        client.invalidateQueries({ queryKey: ["jobs"] }),
        client.invalidateQueries({ queryKey: ["overview"] }),
      ]);
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Delete this job's contents?"
      description="Schema, instructions and answer are erased, and the job can no longer be found. Its charge stays in the ledger. This cannot be undone."
      action="Delete the contents"
      busy={erase.isPending}
      onConfirm={() => erase.mutate()}
    >
      {erase.error && <ProblemNotice problem={erase.error} />}
    </ConfirmDialog>
  );
}
