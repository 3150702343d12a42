// Runs before the first paint. The application writes what this reads from the storage.
{
  const { dataset } = document.documentElement;
  try {
    // A chosen theme must not flash. Only a reader who is signed in sees the empty frame.
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") dataset.theme = theme;
    if (localStorage.getItem("signed-in")) dataset.signedIn = "yes";
  } catch {
    // Without storage the system's theme applies.
  }
  // The files of this page arrive together with the application, which would request them only when it runs.
  const page = location.pathname.split("/")[2] || "start";
  for (const file of JSON.parse(dataset.pages ?? "{}")[page] ?? []) {
    const link = document.createElement("link");
    const isStyle = file.endsWith(".css");
    const kind = isStyle ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
    document.head.append(Object.assign(link, kind, { href: `/dashboard/${file}`, crossOrigin: "anonymous" }));
  }
}
