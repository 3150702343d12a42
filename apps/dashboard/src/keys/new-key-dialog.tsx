import "./keys.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, NewKey } from "@video-to-json/contract/dashboard/keys";
import { send } from "../api/request.ts";
import { Dialog } from "../design/dialog.tsx";
import { CreatedKeyView } from "./created-key-view.tsx";
import { NewKeyForm } from "./new-key-form.tsx";

/** Creates a key, then shows it once. */
export function NewKeyDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (key: NewKey) => send<CreatedKey>("POST", "keys", key),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["keys"] }),
        client.invalidateQueries({ queryKey: ["overview"] }),
      ]),
    gcTime: 0,
  });
  const created = create.data;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      // The page then forgets the key.
      onClosed={create.reset}
      insistent={created !== undefined}
      title={created ? "Copy your key now" : "New API key"}
      description={
        created ? "It is shown only now. Only a hash of it is stored." : "Name it after the program that will use it."
      }
    >
      {created ? (
        <CreatedKeyView created={created} onClose={onClose} />
      ) : (
        <NewKeyForm
          problem={create.error}
          busy={create.isPending}
          onSubmit={(key) => create.mutate(key)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
