import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../api/queries.ts";
import { ButtonLink } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";

/** Returns whether the sign-in is too old to make keys and to delete the account. */
export function useIsStale(): boolean {
  const { data: session, dataUpdatedAt } = useQuery(sessionQuery);
  // It compares with the clock of this browser, which may differ from the service's.
  return session !== undefined && dataUpdatedAt + session.fresh_seconds * 1000 <= Date.now();
}

/** Offers to sign in again and come back to a page. */
export function SignInAgain({ next }: { readonly next: string }) {
  return (
    <Notice tone="warn" title="Sign in again first">
      <p>This needs a new sign-in, because a browser that was left open may be in the hands of somebody else.</p>
      <ButtonLink to="/sign-in" search={{ next }} variant="primary">
        Sign in again
      </ButtonLink>
    </Notice>
  );
}
