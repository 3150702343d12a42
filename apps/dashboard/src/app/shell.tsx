import { Link, Outlet } from "@tanstack/react-router";
import { Menu } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../design/button.tsx";
import { Logo } from "./logo.tsx";
import { Sidebar } from "./sidebar.tsx";

const Drawer = lazy(async () => ({ default: (await import("./drawer.tsx")).Drawer }));

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
        <Outlet />
      </main>
    </div>
  );
}
