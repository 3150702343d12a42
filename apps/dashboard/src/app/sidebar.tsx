import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, BookOpen, ChartColumn, House, KeyRound, ListVideo, Settings, SquarePlay } from "lucide-react";
import { overviewQuery } from "../api/queries.ts";
import { Skeleton } from "../design/display.tsx";
import { minutesText } from "../design/format.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Logo } from "./logo.tsx";

const pages = [
  { to: "/", label: "Start", icon: House },
  { to: "/playground/{-$jobId}", label: "Playground", icon: SquarePlay },
  { to: "/jobs", label: "Jobs", icon: ListVideo },
  { to: "/usage", label: "Usage", icon: ChartColumn },
  { to: "/keys", label: "API keys", icon: KeyRound },
  { to: "/settings", label: "Settings", icon: Settings },
] as const;

/** The links to every page. `onFollow` closes the drawer of small screens. */
function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
  return (
    <nav aria-label="Pages" className="navigation">
      <ul>
        {pages.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} params={{}} className="nav-link" activeOptions={{ exact: to === "/" }} onClick={onFollow}>
              <Icon aria-hidden="true" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <ul>
        <li>
          <a className="nav-link" href="/docs" target="_blank" rel="noreferrer">
            <BookOpen aria-hidden="true" />
            API reference
          </a>
        </li>
        <li>
          <Link to="/status" className="nav-link" onClick={onFollow}>
            <Activity aria-hidden="true" />
            Status
          </Link>
        </li>
      </ul>
    </nav>
  );
}

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

/** The account's minutes, shown on every page. It links to their use. */
function BalanceMeter() {
  const { data } = useQuery(overviewQuery);
  const share =
    data && data.granted_seconds > 0 ? Math.max(0, Math.min(1, data.balance_seconds / data.granted_seconds)) : 0;
  return (
    <Link to="/usage" className="balance-meter">
      <span className="balance-line">
        <span className="muted">Minutes left</span>
        <strong className="numeric">{data ? minutesText(data.balance_seconds) : <Skeleton width={4} />}</strong>
      </span>
      <span className="meter" aria-hidden="true">
        <span className="meter-fill" style={{ display: "block", width: `${share * 100}%` }} />
      </span>
    </Link>
  );
}
