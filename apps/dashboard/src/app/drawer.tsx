import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { buttonClass } from "../design/button.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The side bar of small screens, over the page. */
export function Drawer({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="drawer" aria-label="Menu">
          <Dialog.Close className={buttonClass({ variant: "quiet", iconOnly: true })} aria-label="Close the menu">
            <X aria-hidden="true" />
          </Dialog.Close>
          <Sidebar onFollow={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
