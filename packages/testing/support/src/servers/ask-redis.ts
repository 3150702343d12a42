import { connect } from "node:net";

const timeoutMs = 2000;

/**
 * Sends one command to the Redis at a URL. Returns the reply in the wire format without the last line break: "+OK",
 * "$5\r\nvalue", "$-1". Command and reply must fit into one packet. Throws after 2 s without a reply.
 */
export function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  // SELECT replies +OK like AUTH, so that there are always two replies.
  const first = password ? `AUTH ${password}` : "SELECT 0";
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 6379), hostname, () => socket.write(`${first}\r\n${command}\r\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("Redis does not answer. Check that it runs.")));
    let received = "";
    socket.on("data", (bytes) => {
      received += String(bytes);
      const [, ...rest] = received.split("\r\n");
      if (rest.length < 2 || !received.endsWith("\r\n")) return;
      resolve(rest.slice(0, -1).join("\r\n"));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("Redis closed the connection.")));
  });
}
