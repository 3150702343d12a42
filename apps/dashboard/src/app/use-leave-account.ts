import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { forgetDraft } from "../playground/draft.ts";
import { rememberSignedIn } from "./session-hint.ts";

/** Returns a function that deletes what this browser keeps of the account, and opens the sign-in. Call it when the session has ended. */
export function useLeaveAccount(): () => Promise<void> {
  const navigate = useNavigate();
  const client = useQueryClient();
  return async () => {
    forgetDraft();
    rememberSignedIn(undefined);
    await navigate({ to: "/sign-in" });
    client.clear();
  };
}
