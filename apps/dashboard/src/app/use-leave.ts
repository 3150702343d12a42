import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { forgetDraft } from "../playground/draft.ts";
import { rememberSignedIn } from "./session-hint.ts";

/** Returns a function that leaves nothing of the account in this browser, once its session has ended, and opens the sign-in. */
export function useLeave(): () => Promise<void> {
  const navigate = useNavigate();
  const client = useQueryClient();
  return async () => {
    forgetDraft();
    rememberSignedIn(undefined);
    await navigate({ to: "/sign-in" });
    client.clear();
  };
}
