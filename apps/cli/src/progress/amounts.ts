const million = 1_000_000;

/** Formats a number of bytes: "3.2 MB", "214 MB", "12 kB". */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < million) return `${Math.round(bytes / 1000)} kB`;
  const megabytes = bytes / million;
  return `${megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`;
}

/** Formats milliseconds as minutes and seconds: "0:07", "12:30", "1:00:00". */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3600);
  return hours > 0 ? `${hours}:${parts.join(":")}` : parts.join(":").replace(/^0/, "");
}

/** Formats a balance in seconds: "3007 minutes (50 h 7 min)", "12 minutes 30 s". */
export function minutesText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const text = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  if (minutes >= 120) return `${text} (${Math.floor(minutes / 60)} h ${minutes % 60} min)`;
  return seconds % 60 === 0 ? text : `${text} ${seconds % 60} s`;
}
