import { type RecordedProcess, type StackRecord, stillRuns } from "../stack/kept-stack.ts";

/** Returns the stack as one line of JSON, for programs. */
export function stackLine({ processes, stack }: Required<StackRecord>, signInUrl?: string): string {
  return JSON.stringify({
    base_url: stack.baseUrl,
    api_urls: stack.apiUrls,
    api_key: stack.apiKey,
    account_email: stack.accountEmail,
    sign_in_url: signInUrl ?? null,
    database_url: stack.databaseUrl,
    redis_url: stack.redisUrl,
    emulator_url: stack.emulatorUrl ?? null,
    metrics_urls: stack.metricsUrls.map((url) => `${url}/metrics`),
    storage_dir: stack.storageDir,
    pids: Object.fromEntries(processes.map(({ name, pid }) => [name, pid])),
  });
}

/** Returns the stack as a table, with an example call. `signInUrl`, if there is one, signs in to the dashboard. */
export function stackTable({ processes, stack }: Required<StackRecord>, signInUrl?: string): string {
  const rows = [
    ["API", stack.apiUrls.join("  ")],
    [
      "Dashboard",
      signInUrl ? `${signInUrl}\n           signs in once, within ten minutes` : `${stack.baseUrl}/dashboard/`,
    ],
    ["Key", stack.apiKey],
    ["Account", stack.accountEmail],
    ["Provider", stack.emulatorUrl ? `${stack.emulatorUrl} (emulator)` : "as the environment says"],
    ["Postgres", stack.databaseUrl],
    ["Redis", stack.redisUrl],
    ["Metrics", stack.metricsUrls.map((url) => `${url}/metrics`).join("\n           ")],
    ["Processes", processes.map(({ name, pid }) => `${name} ${pid}`).join(", ")],
  ];
  const table = rows.map(([name, value]) => `${String(name).padEnd(10)} ${value}`).join("\n");
  return `${table}\n\n${curlLine(stack, "video.mp4", '{"title":"string?","scenes":[{"at":"timestamp"}]}')}`;
}

/** Returns the command that sends a video with a schema to the stack. */
export function curlLine(stack: { baseUrl: string; apiKey: string }, video: string, schema: string): string {
  return [
    `curl -sS ${stack.baseUrl}/v1/extract`,
    `-H 'Authorization: Bearer ${stack.apiKey}'`,
    `-F 'schema=${schema.replaceAll("'", "'\\''")}'`,
    `-F 'video=@${video}'`,
  ].join(" \\\n  ");
}

type StatusRow = { name: string; pid: number; state: "runs" | "ready" | "not ready" | "gone" };

/** Returns the state of each process, and whether all run and those with a readiness check are ready. */
export async function stackStatus(record: StackRecord | undefined): Promise<{ rows: StatusRow[]; good: boolean }> {
  const rows = await Promise.all((record?.processes ?? []).map(rowOf));
  const good = record?.stack !== undefined && rows.every(({ state }) => state === "ready" || state === "runs");
  return { rows, good };
}

async function rowOf(process_: RecordedProcess): Promise<StatusRow> {
  const { name, pid, readyUrl } = process_;
  if (!stillRuns(process_)) return { name, pid, state: "gone" };
  if (readyUrl === undefined) return { name, pid, state: "runs" };
  const ready = await fetch(readyUrl, { signal: AbortSignal.timeout(5000) }).then(
    (response) => response.ok,
    () => false,
  );
  return { name, pid, state: ready ? "ready" : "not ready" };
}
