import { Link } from "@tanstack/react-router";
import type { Overview } from "@video-to-json/contract/dashboard/overview";
import { Card } from "../design/card.tsx";
import { countText, minutesText } from "../design/format.ts";
import { Skeleton } from "../design/skeleton.tsx";

/** The cost and the jobs of this calendar month (UTC). */
export function MonthCard({ overview }: { readonly overview: Overview | undefined }) {
  const month = overview?.month;
  const figures = [
    { name: "Billed this month", value: month && minutesText(month.billed_seconds) },
    { name: "Succeeded", value: month && countText(month.succeeded) },
    { name: "Failed, free of charge", value: month && countText(month.failed) },
  ];
  return (
    <Card className="figure-card">
      <dl className="month-figures">
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt className="figure-name">{name}</dt>
            <dd className="figure">{value ?? <Skeleton width={2.5} />}</dd>
          </div>
        ))}
      </dl>
      <p className="figure-note">
        <Link to="/usage" className="text-link">
          See what each minute was spent on
        </Link>
      </p>
    </Card>
  );
}
