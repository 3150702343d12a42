import { connect } from "node:net";

const timeoutMs = 2000;

/**
 * Sends one command to the Redis at a URL and gives the answer as its protocol writes it, without the last line
 * break: "+OK", "$5\r\nvalue", "$-1". For commands and answers of one packet.
 */
export function askRedis(url: string, command: string): Promise<string> {
  const { hostname, port, password } = new URL(url);
  // SELECT answers +OK as AUTH does, so that there are always two answers to take.
  const first = password ? `AUTH ${password}` : "SELECT 0";
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 6379), hostname, () => socket.write(`${first}\r\n${command}\r\n`));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("Redis does not answer.")));
    let said = "";
    socket.on("data", (bytes) => {
      said += String(bytes);
      const [, ...rest] = said.split("\r\n");
      if (rest.length < 2 || !said.endsWith("\r\n")) return;
      resolve(rest.slice(0, -1).join("\r\n"));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("Redis hung up.")));
  });
}
