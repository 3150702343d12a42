import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { sessionQuery } from "../api/queries.ts";
import { loadPart } from "./load-part.ts";

const loadPopup = () => loadPart(() => import("./account-menu-popup.tsx"));
const AccountMenuPopup = lazy(async () => ({ default: (await loadPopup()).AccountMenuPopup }));

/**
 * The menu of the signed-in account. Its code is loaded when the pointer or the focus comes near, because few visits
 * use it.
 */
export function AccountMenu() {
  const email = useQuery(sessionQuery).data?.email ?? "";
  const [isWanted, setWanted] = useState(false);
  const load = () => void loadPopup().catch(() => undefined);
  const button = (
    <button
      type="button"
      className="account-trigger"
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setWanted(true)}
    >
      <AccountName email={email} />
    </button>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <AccountMenuPopup />
    </Suspense>
  ) : (
    button
  );
}

/** The e-mail of the account with its first letter, as on the menu's button. */
export function AccountName({ email }: { readonly email: string }) {
  return (
    <>
      <span className="avatar" aria-hidden="true">
        {email.slice(0, 1).toUpperCase()}
      </span>
      <span className="account-email">{email === "" ? "Account" : email}</span>
      <ChevronsUpDown aria-hidden="true" />
    </>
  );
}
