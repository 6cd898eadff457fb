/** A minimal reverse proxy to compare with: headers and bodies are piped both ways. */
import { Agent, request as httpRequest, type RequestListener } from "node:http";

export function plainProxy(port: number): RequestListener {
  const agent = new Agent({ keepAlive: true });
  return (request, response) => {
    const { method, url, headers } = request;
    const forward = httpRequest({ port, host: "127.0.0.1", method, path: url, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forward);
  };
}
