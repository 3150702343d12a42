import type { CreatedKey } from "@video-to-json/contract/dashboard/keys";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Notice } from "../design/notice.tsx";

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
