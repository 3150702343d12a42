const error = 50;
const fatal = 60;
const crashes = /unhandled[\s-]*(promise[\s-]*)?rejection|uncaught[\s-]*exception|heap out of memory/i;
const warnings = /\(node:\d+\)|\b[A-Z]\w*Warning\b/;

/**
 * Returns the lines of a log that show a crash or a near crash: fatal lines, uncaught errors, warnings of Node, and in a
 * log of JSON each line that is not JSON, such as a stack trace.
 */
export function logFaults(name: string, text: string, logsJson: boolean): string[] {
  const faults = text.split("\n").filter((line) => line.trim() !== "" && isFault(line, logsJson));
  return faults.map((line) => `${name}: ${line.slice(0, 300)}`);
}

function isFault(line: string, logsJson: boolean): boolean {
  if (crashes.test(line) || warnings.test(line)) return true;
  if (!logsJson) return false;
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    if (typeof level !== "number") return true;
    return level >= fatal || (level >= error && /uncaught|unhandled/i.test(line));
  } catch {
    return true;
  }
}
