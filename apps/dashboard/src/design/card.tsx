import type { ReactNode } from "react";

type CardProps = {
  readonly title?: ReactNode;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  /** Without padding, for tables and editors. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
};

/** A titled part of a page. */
export function Card({ title, note, actions, footer, flush = false, className = "", children }: CardProps) {
  return (
    <section className={`card ${className}`.trimEnd()}>
      {title !== undefined && (
        <header className="card-header">
          <div>
            <h2>{title}</h2>
            {note !== undefined && <p>{note}</p>}
          </div>
          {actions}
        </header>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
      {footer !== undefined && <footer className="card-footer">{footer}</footer>}
    </section>
  );
}
