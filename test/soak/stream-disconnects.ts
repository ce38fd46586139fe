import { expect } from 'vitest'
import type { OwnService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { openStreamSocket } from './stream-socket.ts'

const batchSize = 50
const streamsPerPerson = 5

/**
 * Open streams and kill their clients, half of them by a connection reset. Expect that the hub removes all of
 * them.
 */
export async function expectKilledClientsRemoved(service: OwnService, clients: number): Promise<void> {
  const account = await createAccount(service)
  const { hostname, port } = new URL(service.api)
  const address = { hostname, port: Number(port) }
  const survivor = await openStreamSocket(address, account.admin.token)
  const countSubscribers = () => service.stack.countSubscribers(account.id)
  for (let opened = 0; opened < clients; opened += batchSize) {
    // A person may have five open streams.
    const people = await Promise.all(
      Array.from({ length: batchSize / streamsPerPerson }, () => account.addColleague()),
    )
    const sockets = await Promise.all(
      Array.from({ length: batchSize }, (_, n) =>
        openStreamSocket(address, (people[n % people.length] as Person).token),
      ),
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
