import { notifyManager, onlineManager, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { Menu } from "lucide-react";
import { lazy, Suspense, useCallback, useState, useSyncExternalStore } from "react";
import { isUnreachable } from "../api/request.ts";
import { Button } from "../design/button.tsx";
import { Notice } from "../design/display.tsx";
import { loadPart } from "./load-part.ts";
import { Logo } from "./logo.tsx";
import { Sidebar } from "./sidebar.tsx";

const Drawer = lazy(async () => ({ default: (await loadPart(() => import("./drawer.tsx"))).Drawer }));

/** The frame around every page of a signed-in account. On small screens the side bar becomes a drawer. */
export function Shell() {
  const [drawer, setDrawer] = useState<"never" | "open" | "closed">("never");
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        Skip to the page
      </a>
      <aside className="sidebar" aria-label="Pages and account">
        <Sidebar />
      </aside>
      <header className="topbar">
        <Link to="/" aria-label="video-to-json, start">
          <Logo />
        </Link>
        <Button
          variant="quiet"
          iconOnly
          aria-label="Menu"
          aria-haspopup="dialog"
          aria-expanded={drawer === "open"}
          onClick={() => setDrawer("open")}
        >
          <Menu aria-hidden="true" />
        </Button>
        {drawer !== "never" && (
          <Suspense>
            <Drawer open={drawer === "open"} onClose={() => setDrawer("closed")} />
          </Suspense>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        <ConnectionNotice />
        <Outlet />
      </main>
    </div>
  );
}

/** Returns whether this browser has a network. */
export function useIsOnline(): boolean {
  return useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
}

/** The only sentence about a broken connection. It disappears by itself, because the page repeats its reads. */
function ConnectionNotice() {
  const isOnline = useIsOnline();
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(notifyManager.batchCalls(changed)), [cache]);
  const isBroken = useSyncExternalStore(subscribe, () =>
    cache.getAll().some(({ state }) => state.fetchStatus !== "idle" && isUnreachable(state.fetchFailureReason)),
  );
  if (isOnline && !isBroken) return null;
  return (
    <div className="connection-notice">
      <Notice
        tone="warn"
        announce
        title={`${isOnline ? "The service cannot be reached." : "You are offline."} Jobs continue, and this page shows their answers by itself.`}
      />
    </div>
  );
}
