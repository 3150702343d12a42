import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { overviewQuery } from "../api/queries.ts";
import { minutesText } from "../design/format.ts";
import { Skeleton } from "../design/skeleton.tsx";

/** The account's minutes, shown on every page. It links to their use. */
export function BalanceMeter() {
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
