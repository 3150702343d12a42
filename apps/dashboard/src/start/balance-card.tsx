import type { Overview } from "@video-to-json/contract/dashboard/overview";
import { Card } from "../design/card.tsx";
import { minutesText } from "../design/format.ts";
import { Skeleton } from "../design/skeleton.tsx";

/** The balance in minutes, with a bar that shows its part of all granted minutes. */
export function BalanceCard({ overview }: { readonly overview: Overview | undefined }) {
  const left = overview?.balance_seconds ?? 0;
  const granted = overview?.granted_seconds ?? 0;
  const share = granted > 0 ? Math.max(0, Math.min(1, left / granted)) : 0;
  return (
    <Card className="figure-card">
      <h2 className="figure-name">Minutes left</h2>
      <p className="figure">{overview ? minutesText(left) : <Skeleton width={4.5} />}</p>
      <div className="meter" role="img" aria-label={`${Math.round(share * 100)} % of the granted minutes are left`}>
        <div className="meter-fill" style={{ width: `${share * 100}%` }} />
      </div>
      <p className="figure-note">
        {overview ? (
          <>
            of {minutesText(granted)} granted
            {overview.held_seconds > 0 && <> · {minutesText(overview.held_seconds)} held for running jobs</>}
          </>
        ) : (
          <Skeleton width={11} />
        )}
      </p>
    </Card>
  );
}
