import { Dialog as BaseDialog } from "@base-ui/react/dialog";
import { type ReactNode, useRef } from "react";
import { Button } from "./button.tsx";

type DialogProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Clicks outside and Escape do not close it. */
  readonly insistent?: boolean;
  /** Called when its closing animation has ended. */
  readonly onClosed?: () => void;
};

/** A dialog over the page. It traps the focus and returns it when it closes. */
export function Dialog({ open, onClose, title, description, children, insistent = false, onClosed }: DialogProps) {
  // It has no trigger of its own, so it remembers which element had the focus when it opened.
  const opener = useRef<Element>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) opener.current = document.activeElement;
  wasOpen.current = open;
  const finalFocus = () =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : true;
  return (
    <BaseDialog.Root
      open={open}
      disablePointerDismissal={insistent}
      onOpenChangeComplete={(isOpen) => !isOpen && onClosed?.()}
      onOpenChange={(next, event) => {
        if (next || (insistent && event.reason === "escape-key")) return;
        onClose();
      }}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="backdrop" />
        <BaseDialog.Popup className="dialog" finalFocus={finalFocus}>
          <header className="dialog-header">
            <BaseDialog.Title>{title}</BaseDialog.Title>
            {description !== undefined && <BaseDialog.Description>{description}</BaseDialog.Description>}
          </header>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

type ConfirmProps = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description: ReactNode;
  readonly action: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
  readonly children?: ReactNode;
};

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmProps) {
  const { open, onClose, title, description, action, busy, onConfirm, disabled = false, children } = props;
  return (
    <Dialog open={open} onClose={onClose} title={title} description={description}>
      <div className="dialog-body">{children}</div>
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="danger" busy={busy} disabled={disabled} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
