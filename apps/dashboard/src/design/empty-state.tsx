import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

type EmptyStateProps = {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
};

/** The empty state of a list: what will be here, and how to get it. */
export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="empty">
      <div className="empty-icon">
        <Icon aria-hidden="true" />
      </div>
      <h2>{title}</h2>
      <p>{children}</p>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  );
}
