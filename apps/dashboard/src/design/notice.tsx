import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const icons = { neutral: Info, warn: TriangleAlert, bad: CircleAlert, good: CircleCheck };

type NoticeProps = {
  readonly tone?: keyof typeof icons;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  /** Whether screen readers read the notice out when it appears. */
  readonly announce?: boolean;
};

/** A message beside the element that it concerns. */
export function Notice({ tone = "neutral", title, children, announce = false }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className={`notice notice-${tone}`} role={announce ? (tone === "bad" ? "alert" : "status") : undefined}>
      <Icon aria-hidden="true" />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}
