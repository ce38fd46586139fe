import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import { findFreePort } from '#local/ports.ts'
import { type LoadRequest, runLoadWhile } from '#test/bench/load.ts'
import { notificationId, type SeededAccount, seedAccount } from '#test/bench/seed.ts'
import type { OwnService } from '#test/support/app.ts'
import { type NodeChild, startNodeChild } from '#test/support/node-child.ts'
import { connectInspector, readResidentBytes } from './process-memory.ts'
import { openStreamSocket } from './stream-socket.ts'

const megabyte = 2 ** 20
const toMegabytes = (bytes: number) => (bytes / megabyte).toFixed(1)
const portOf = ({ api }: NodeChild) => Number(new URL(api).port)

function seed(
  { ownerUrl, settings }: OwnService,
  tag: string,
  userCount: number,
  notificationsPerUser: number,
): Promise<SeededAccount> {
  const { postgresPort } = inject('shared')
  return seedAccount(
    { postgresPort, database: new URL(ownerUrl).pathname.slice(1), settings },
    tag,
    userCount,
    notificationsPerUser,
  )
}

const streamsPerPerson = 5
const openedAtOnce = 50
const maxResident = 200 * megabyte
const maxHeapPerStream = 32 * 1024
// Without these, V8 and malloc keep about 100 MB more for garbage that they have not needed to collect.
const smallMemory = { options: '--max-semi-space-size=1', MALLOC_ARENA_MAX: '2' }

/**
 * Open streams to one process. Expect that it needs at most 200 MB in all while they are open, and little of
 * it per stream.
 */
export async function expectStreamsFit(service: OwnService, streams: number): Promise<void> {
  const inspectorPort = await findFreePort()
  const { options, ...variables } = smallMemory
  const child = await startNodeChild(service.settings, {
    NODE_OPTIONS: `${options} --inspect=127.0.0.1:${inspectorPort}`,
    ...variables,
  })
  const inspector = await connectInspector(inspectorPort)
  const { tokens } = await seed(service, '5a', streams / streamsPerPerson, 1)
  const tokenOf = (stream: number) => tokens[Math.floor(stream / streamsPerPerson)] ?? ''
  const heapBefore = await inspector.readHeapBytes()
  const sockets: Socket[] = []
  for (let opened = 0; opened < streams; opened += openedAtOnce) {
    const next = Array.from({ length: openedAtOnce }, (_, n) =>
      openStreamSocket({ hostname: '127.0.0.1', port: portOf(child) }, tokenOf(opened + n)),
    )
    sockets.push(...(await Promise.all(next)))
  }
  await pause(2000)
  const pid = child.process.pid ?? 0
  const withGarbage = readResidentBytes(pid)
  const heap = await inspector.readHeapBytes()
  const resident = readResidentBytes(pid)
  inspector.close()
  console.log(
    `${streams} open streams: ${toMegabytes(resident)} MB resident (${toMegabytes(withGarbage)} MB before the garbage was collected)`,
  )
  console.log(`Heap before and with the streams: ${toMegabytes(heapBefore)} and ${toMegabytes(heap)} MB`)
  expect(sockets.filter(({ closed }) => closed)).toEqual([])
  for (const socket of sockets) socket.destroy()
  expect((heap - heapBefore) / streams).toBeLessThan(maxHeapPerStream)
  expect(resident).toBeLessThan(maxResident)
}

const userCount = 1900
const notificationsPerUser = 5
// Every user has made every request by then, so the caches and the counts of the limiter are full.
const warmUpRequests = 20_000
const connections = 16
const maxGrowthBytes = 3 * megabyte

/** Send requests to one process. Expect that its heap is as large after them as after the warm-up. */
export async function expectNoGrowth(service: OwnService, requests: number): Promise<void> {
  const inspectorPort = await findFreePort()
  const child = await startNodeChild(service.settings, {
    NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
  })
  const account = await seed(service, '5b', userCount, notificationsPerUser)
  const next = createRequests(account)
  const send = async (count: number) => {
    let remaining = count
    await runLoadWhile({ port: portOf(child), connections, next, hasMore: () => remaining-- > 0 })
  }
  const inspector = await connectInspector(inspectorPort)
  await send(warmUpRequests)
  const sizes = [await inspector.readHeapBytes()]
  for (let part = 0; part < 4; part++) {
    await send(requests / 4)
    sizes.push(await inspector.readHeapBytes())
  }
  inspector.close()
  console.log(
    `Heap after the warm-up and after each ${requests / 4} requests: ${sizes.map(toMegabytes).join(', ')} MB`,
  )
  expect((sizes.at(-1) ?? 0) - (sizes[0] ?? 0)).toBeLessThan(maxGrowthBytes)
}

/**
 * Create requests that read, write and search. Users take turns, because rate limits are per person and
 * minute.
 */
function createRequests(account: SeededAccount): () => LoadRequest {
  let turn = 0
  return () => {
    turn++
    const user = turn % userCount
    const token = account.tokens[user] ?? ''
    const id = notificationId(account, user + 1, 1 + (turn % notificationsPerUser))
    const paths = [
      '/notifications?limit=50',
      '/notifications/unread-count',
      '/trees',
      '/trees?search=vpn',
      '/auth/me',
    ]
    const path = paths[Math.floor(turn / userCount) % (paths.length + 1)]
    if (path) return { method: 'GET', path: `/api/v1${path}`, token }
    return { method: 'PATCH', path: `/api/v1/notifications/${id}/read`, token }
  }
}
