// Runs before the first paint.
{
  const { dataset } = document.documentElement;
  try {
    // A chosen theme must not flash.
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") dataset.theme = theme;
  } catch {
    // Without storage the system's theme applies.
  }
  // The files of this page arrive together with the application, which would request them only when it runs.
  const page = location.pathname.split("/")[2] || "start";
  for (const file of new Map(Object.entries(JSON.parse(dataset.pages ?? "{}"))).get(page) ?? []) {
    const link = document.createElement("link");
    const isStyle = file.endsWith(".css");
    const kind = isStyle ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
    document.head.append(Object.assign(link, kind, { href: `/dashboard/${file}`, crossOrigin: "anonymous" }));
  }
}
