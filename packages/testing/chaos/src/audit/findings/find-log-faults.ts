const crashes = /unhandled[\s-]*(promise[\s-]*)?rejection|uncaught[\s-]*exception|heap out of memory/i;
const warnings = /\(node:\d+\)|\b[A-Z]\w*Warning\b/;

// The start of a line that is not fatal and was cut off because its disk was full.
const torn = /^\{"level":"(?:trace|debug|info|warn|error)",/;
const lineStart = '{"level":';

/** A log: the name of its process, whether its lines are JSON, and whether its disk was full for a time. */
type Log = { name: string; text: string; isJson: boolean; wasFull?: boolean };

/**
 * Returns the lines of a log that show a crash or a near crash: fatal lines, uncaught errors, warnings of Node, and in a
 * log of JSON each line that is not JSON, such as a stack trace. A line that the full disk cut off does not count.
 */
export function logFaults({ name, text, isJson, wasFull = false }: Log): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && isFault(line, isJson));
  const faults = lines.filter((line) => !(wasFull && isTorn(line) && !crashes.test(line)));
  return faults.map((line) => `${name}: ${line.slice(0, 300)}`);
}

function isTorn(line: string): boolean {
  return torn.test(line) || lineStart.startsWith(line);
}

function isFault(line: string, logsJson: boolean): boolean {
  if (crashes.test(line) || warnings.test(line)) return true;
  if (!logsJson) return false;
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    if (typeof level !== "string") return true;
    return level === "fatal" || (level === "error" && /uncaught|unhandled/i.test(line));
  } catch {
    return true;
  }
}
