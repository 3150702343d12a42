const fatal = 60;
const crashes = /unhandledRejection|uncaughtException|MaxListenersExceededWarning|heap out of memory/;

/**
 * What in a process's log tells that it crashed, or came near to it: fatal lines, and of a process that logs JSON
 * every line that is none, such as a stack trace or a warning of Node's.
 */
export function logFaults(name: string, text: string, logsJson: boolean): string[] {
  const faults = text.split("\n").filter((line) => line.trim() !== "" && isFault(line, logsJson));
  return faults.map((line) => `${name}: ${line.slice(0, 300)}`);
}

function isFault(line: string, logsJson: boolean): boolean {
  if (crashes.test(line)) return true;
  if (!logsJson) return false;
  try {
    return (JSON.parse(line) as { level?: number }).level === fatal;
  } catch {
    return true;
  }
}
