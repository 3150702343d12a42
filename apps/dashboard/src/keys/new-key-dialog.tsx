import "./keys.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, NewKey } from "@video-to-json/contract/dashboard/keys";
import { send } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { Notice } from "../design/display.tsx";
import { SignInAgain, useIsStale } from "../sign-in/sign-in-again.tsx";
import { KeyForm } from "./key-form.tsx";

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
  const isStale = useIsStale();
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
      ) : isStale ? (
        <div className="dialog-body">
          <SignInAgain next="/keys" />
        </div>
      ) : (
        <KeyForm
          problem={create.error}
          busy={create.isPending}
          onSubmit={(key) => create.mutate(key)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

/** Shows a new key, for the only time. */
export function CreatedKeyView({ created, onClose }: { readonly created: CreatedKey; readonly onClose: () => void }) {
  return (
    <>
      <div className="dialog-body">
        <div className="new-key">
          <code data-testid="new-key">{created.key}</code>
          <CopyButton text={created.key} what="the key" withText variant="primary" size="medium" autoFocus />
        </div>
        <Notice tone="warn">
          Anyone who has this key can spend your minutes. Keep it out of browsers, apps and repositories. If you lose
          it, make a new one and revoke this one.
        </Notice>
        <p className="field-note">
          In a shell: <code>export VIDEO_TO_JSON_API_KEY=…</code>
        </p>
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>I have copied it</Button>
      </div>
    </>
  );
}
