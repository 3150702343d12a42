import { useEffect, useRef } from "react";

/** Calls `run` on Ctrl+Enter, on a Mac also on Command+Enter, wherever the focus is, even in the editor. */
export function useRunShortcut(run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, []);
}
