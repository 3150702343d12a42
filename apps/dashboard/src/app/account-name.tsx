import { ChevronsUpDown } from "lucide-react";

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
