import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { ownService } from '../support/app.ts'
import { newAccount, type Person } from '../support/people.ts'

type Own = Awaited<ReturnType<typeof ownService>>

/** A client that can be killed as a crash kills it: a bare socket with one request on it. */
function open(service: Own, { token }: Person): Promise<Socket> {
  const { hostname, port } = new URL(service.api)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /api/v1/ai-sessions/escalations/stream HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
      ),
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

const batch = 50

/** Streams that are opened and whose clients are killed, half of them by a reset, at any moment: none is left in the hub. */
export async function killedClientsLeaveNothing(service: Own, clients: number): Promise<void> {
  const account = await newAccount(service)
  const survivor = await open(service, account.admin)
  const hubHolds = () => service.stack.subscribers(account.id)
  for (let done = 0; done < clients; done += batch) {
    // Ten streams a minute are one person's.
    const people = await Promise.all(Array.from({ length: batch / 10 }, () => account.colleague()))
    const sockets = await Promise.all(Array.from({ length: batch }, (_, n) => open(service, people[n % people.length] as Person)))
    for (const [n, socket] of sockets.entries()) {
      socket.on('error', () => {})
      if (n % 2) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  await expect.poll(hubHolds, { timeout: 30_000, interval: 100 }).toBe(1)
  survivor.destroy()
  await expect.poll(hubHolds, { timeout: 30_000, interval: 100 }).toBe(0)
}
