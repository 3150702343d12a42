// Succeeds if a process answers on this machine: `node healthcheck.js [path [port]]`.
const [path = "/readyz", port = process.env.METRICS_PORT] = process.argv.slice(2);
const { ok } = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
