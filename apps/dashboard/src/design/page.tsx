import { type ReactNode, useEffect } from "react";

type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** The title is only for the tab and for screen readers. */
  readonly quietTitle?: boolean;
  readonly wide?: boolean;
  readonly children: ReactNode;
};

/** A page with its title, which also becomes the title of the browser's tab. */
export function Page({ title, description, actions, quietTitle = false, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · video-to-json`;
  }, [title]);
  return (
    <div className={wide ? "page page-wide" : "page"}>
      <header className={quietTitle ? "visually-hidden" : "page-header"}>
        <div>
          <h1>{title}</h1>
          {description !== undefined && <p>{description}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
