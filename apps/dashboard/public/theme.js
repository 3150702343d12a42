// Runs before the first paint, so that a chosen theme does not flash. The application writes the choice.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme applies.
}
