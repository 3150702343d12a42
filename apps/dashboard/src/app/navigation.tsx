import { Link } from "@tanstack/react-router";
import { Activity, BookOpen, ChartColumn, House, KeyRound, ListVideo, Settings, SquarePlay } from "lucide-react";

const pages = [
  { to: "/", label: "Start", icon: House },
  { to: "/playground/{-$jobId}", label: "Playground", icon: SquarePlay },
  { to: "/jobs", label: "Jobs", icon: ListVideo },
  { to: "/usage", label: "Usage", icon: ChartColumn },
  { to: "/keys", label: "API keys", icon: KeyRound },
  { to: "/settings", label: "Settings", icon: Settings },
] as const;

/** The links to every page. `onFollow` closes the drawer of small screens. */
export function Navigation({ onFollow }: { readonly onFollow?: () => void }) {
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
