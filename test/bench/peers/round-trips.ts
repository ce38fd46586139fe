import type { Socket } from 'node:net'
import { startRelay } from '#local/vendors/relay.ts'

/** A relay in front of PostgreSQL that counts round trips. */
export interface CountingRelay {
  port: number
  count(): number
  close(): Promise<void>
}

/**
 * Start the relay. A round trip starts when a client sends something after an answer; what it sends until the
 * next answer belongs to it.
 */
export async function startCountingRelay(targetPort: number): Promise<CountingRelay> {
  let roundTrips = 0
  const watchClient = (client: Socket) => {
    let bytesAnswered = -1
    client.on('data', () => {
      if (client.bytesWritten === bytesAnswered) return
      bytesAnswered = client.bytesWritten
      roundTrips++
    })
  }
  const { port, close } = await startRelay(targetPort, watchClient)
  return { port, count: () => roundTrips, close }
}
