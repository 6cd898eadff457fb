/** Clients that send bytes as they are, and differ in when they read and when they leave. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Reads only after the system has taken all bytes, and returns everything that comes back. Fails if the server resets it. */
export async function sendBeforeReading(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
  return readToEnd(socket);
}

/** Leaves as soon as it has an answer of the announced length, and returns that. */
export async function sendUntilAnswered(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  return readToEnd(socket, isWhole);
}

async function readToEnd(socket: Socket, isEnough: (text: string) => boolean = () => false): Promise<string> {
  let text = "";
  const closed = once(socket, "close");
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    if (isEnough(text)) socket.destroy();
  });
  await closed;
  return text;
}

function isWhole(answer: string): boolean {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  return rest.join("\r\n\r\n").length >= length;
}
