import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

export type Tone = "neutral" | "good" | "bad" | "busy" | "warn";

/** A short state in a coloured pill. The colour only repeats the words. */
export function Badge({
  tone = "neutral",
  plain = false,
  children,
}: {
  tone?: Tone;
  plain?: boolean;
  children: ReactNode;
}) {
  const toneClass = tone === "neutral" ? "" : ` badge-${tone}`;
  return <span className={`badge${toneClass}${plain ? " badge-plain" : ""}`}>{children}</span>;
}

/** Code or JSON to read and copy. It scrolls by keyboard too. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="code-scroll" tabIndex={0} aria-label={label}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      <CopyButton text={code} what={label} className="code-copy" />
    </div>
  );
}

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

type SkeletonProps = {
  /** Width in `em`, about twice the number of characters of the text. */
  readonly width: number;
  readonly height?: number;
};

/** A placeholder for a text that is being loaded, in the size of the text. */
export function Skeleton({ width, height = 1 }: SkeletonProps) {
  return <span className="skeleton" aria-hidden="true" style={{ width: `${width}em`, height: `${height}em` }} />;
}

/** Rows of a table that is being loaded. `widths` has one entry for each column, in `em`. */
export function SkeletonRows({ rows, widths }: { readonly rows: number; readonly widths: readonly number[] }) {
  const row = widths.map((width, column) => ({ id: column, width }));
  return Array.from({ length: rows }, (_, index) => ({ id: index })).map(({ id }) => (
    <tr key={id}>
      {row.map((cell) => (
        <td key={cell.id}>
          <Skeleton width={cell.width} />
        </td>
      ))}
    </tr>
  ));
}
