import { createServer } from 'node:http'
import { findFreePort } from '#local/ports.ts'

/**
 * Start a queue that accepts messages as QStash does and delivers none, so that the measured services have no
 * work but their requests.
 */
export async function startQueueSink(): Promise<{ url: string; close(): void }> {
  const port = await findFreePort()
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'application/json').end('[{"messageId":"sink"}]'))
  })
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }
}
