import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { OwnService } from '../support/app.ts'
import { createAccount, type Person } from '../support/people.ts'

/** Open the escalation stream over a bare socket, which a test can kill as a crash would. */
function openStreamSocket(service: OwnService, { token }: Person): Promise<Socket> {
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

const batchSize = 50
const streamsPerPerson = 5

/** Open streams and kill their clients, half of them by a connection reset. Expect that the hub removes all of them. */
export async function expectKilledClientsRemoved(service: OwnService, clients: number): Promise<void> {
  const account = await createAccount(service)
  const survivor = await openStreamSocket(service, account.admin)
  const countSubscribers = () => service.stack.countSubscribers(account.id)
  for (let opened = 0; opened < clients; opened += batchSize) {
    // A person may have five open streams.
    const people = await Promise.all(Array.from({ length: batchSize / streamsPerPerson }, () => account.addColleague()))
    const sockets = await Promise.all(
      Array.from({ length: batchSize }, (_, n) => openStreamSocket(service, people[n % people.length] as Person)),
    )
    for (const [n, socket] of sockets.entries()) {
      socket.on('error', () => {})
      if (n % 2) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  await expect.poll(countSubscribers, { timeout: 30_000, interval: 100 }).toBe(1)
  survivor.destroy()
  await expect.poll(countSubscribers, { timeout: 30_000, interval: 100 }).toBe(0)
}
