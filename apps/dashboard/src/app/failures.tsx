import { useRouter } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { ProblemNotice } from "../api/problem-notice.tsx";
import { ButtonLink } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { Page } from "../design/page.tsx";

/** The page for an unknown address. */
export function NotFound() {
  return (
    <Page title="Page not found" quietTitle>
      <EmptyState
        icon={Compass}
        title="There is no such page"
        actions={<ButtonLink to="/">Go to the start</ButtonLink>}
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </Page>
  );
}

/** Shown in place of a page that failed to load. */
export function PageFailure({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <Page title="This page failed to load">
      <ProblemNotice problem={error} onRetry={() => void router.invalidate()} />
    </Page>
  );
}
