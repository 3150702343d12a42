import { Logo } from "./logo.tsx";

/** The frame without its content. The build puts it into the page, so that it is there before any script. */
export function EmptyShell() {
  return (
    <div className="shell shell-empty">
      <aside className="sidebar">
        <span className="sidebar-logo">
          <Logo />
        </span>
      </aside>
      <header className="topbar">
        <Logo />
      </header>
    </div>
  );
}
