/** What a reader can choose. `system` follows the operating system. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Returns the chosen theme. */
export function readTheme(root: HTMLElement): Theme {
  const chosen = root.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** Applies a theme at once and stores it for the next visit. */
export function writeTheme(root: HTMLElement, theme: Theme): void {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
