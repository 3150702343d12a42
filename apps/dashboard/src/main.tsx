import "@fontsource-variable/geist/wght.css";
import "@fontsource-variable/geist-mono/wght.css";
import "./design/tokens.css";
import "./design/base.css";
import "./design/controls.css";
import "./design/display.css";
import "./app/shell.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LostPart } from "./app/load-part.ts";
import { createQueryClient } from "./app/query-client.ts";
import { createAppRouter } from "./app/router.tsx";
import { rememberSignedIn, signedInAccount } from "./app/session-hint.ts";

const queryClient = createQueryClient({
  onSignedOut: () => {
    // Without the hint, the router reads the session itself and redirects to the sign-in.
    if (signedInAccount() === undefined) return;
    rememberSignedIn(undefined);
    void router.navigate({ to: "/sign-in", search: { next: nextAfterSignIn() } });
  },
});
const router = createAppRouter({ queryClient });

function nextAfterSignIn(): string | undefined {
  const { href, pathname } = router.state.location;
  return pathname === "/sign-in" ? undefined : href;
}

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element #root.");
// A page that has lost one of its files loads again by itself.
const onCaughtError = (error: unknown) => error instanceof LostPart || reportError(error);
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    {/* The page's Content-Security-Policy allows no style elements. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
