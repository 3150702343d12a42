import { Link } from "@tanstack/react-router";
import { AccountMenu } from "./account-menu.tsx";
import { BalanceMeter } from "./balance-meter.tsx";
import { Logo } from "./logo.tsx";
import { Navigation } from "./navigation.tsx";

/** The links to the pages, the minutes and the account. `onFollow` closes the drawer of small screens. */
export function Sidebar({ onFollow }: { readonly onFollow?: () => void }) {
  return (
    <>
      <Link to="/" className="sidebar-logo" aria-label="video-to-json, start" onClick={onFollow}>
        <Logo />
      </Link>
      <Navigation {...(onFollow && { onFollow })} />
      <div className="sidebar-foot">
        <BalanceMeter />
        <AccountMenu />
      </div>
    </>
  );
}
