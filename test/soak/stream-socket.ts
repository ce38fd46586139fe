import { connect, type Socket } from 'node:net'

/** Open the escalation stream over a bare socket, which a test can cut. Resolve when the stream has begun. */
export function openStreamSocket(
  { hostname, port }: { hostname: string; port: number },
  token: string,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const head = `host: ${hostname}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream`
    const socket = connect(port, hostname, () =>
      socket.write(`GET /api/v1/ai-sessions/escalations/stream HTTP/1.1\r\n${head}\r\n\r\n`),
    )
    let text = ''
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
      if (text.includes(': connected')) resolve(socket)
      else if (/^HTTP\/1.1 [^2]/.test(text)) reject(new Error(text.slice(0, 200)))
    })
  })
}
