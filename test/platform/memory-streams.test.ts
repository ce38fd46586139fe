// @module-tag mechanism
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryRealtime } from '#platform/node/streams-in-memory.ts'

const startAt = Date.parse('2026-11-21T09:30:00Z')
const dayMs = 86_400_000

/**
 * Open a hub with a clock that the test moves. Each event takes 307 characters: its JSON, 200 for the rest of
 * it and 100 for its key.
 */
function openHub({
  characterLimit,
  active = [] as string[],
}: {
  characterLimit?: number
  active?: string[]
} = {}) {
  vi.useFakeTimers({ now: startAt })
  onTestFinished(() => void vi.useRealTimers())
  const hub = createMemoryRealtime(
    { heartbeatMs: 25_000, selectActiveSignIns: async () => new Set(active) },
    characterLimit,
  )
  const publish = (accountId: string, ...numbers: number[]) =>
    hub.publish(
      accountId,
      numbers.map((n) => ({ key: `${accountId} ${n}`, event: 'handoff_created' as const, data: { n } })),
    )
  const open = async (accountId: string, lastEventId: string | null = null) => {
    const abort = new AbortController()
    const body = await hub.subscribe(accountId, {
      userId: 'u',
      signInId: 's',
      lastEventId,
      signal: abort.signal,
    })
    const reader = body.getReader()
    return { abort, read: async () => new TextDecoder().decode((await reader.read()).value) }
  }
  /** Return the numbers of the events that are stored for a client that reconnects. */
  const listStored = async (accountId: string) => {
    const { abort, read } = await open(accountId, '0')
    const text = await read()
    abort.abort()
    return [...text.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n))
  }
  return { hub, publish, open, listStored }
}

describe('the hub in memory', () => {
  it.each([
    [614, [1], [2]],
    [613, [], [2]],
  ])(
    'with a limit of %i characters stores %j of the older account and %j of the newer one',
    async (characterLimit, older, newer) => {
      const { publish, listStored } = openHub({ characterLimit })
      await publish('a', 1)
      await publish('b', 2)
      expect([await listStored('a'), await listStored('b')]).toEqual([older, newer])
    },
  )

  it('has room again for what it has forgotten', async () => {
    const { hub, publish, listStored } = openHub({ characterLimit: 614 })
    await publish('a', 1)
    await publish('b', 2)
    await hub.forget('a')
    await publish('c', 3)
    expect([await listStored('a'), await listStored('b'), await listStored('c')]).toEqual([[], [2], [3]])
  })

  it.each([
    [dayMs - 1, [1]],
    [dayMs, []],
  ])('after %i ms without an event stores %j of an account', async (ms, stored) => {
    const { publish, listStored } = openHub()
    await publish('a', 1)
    vi.setSystemTime(startAt + ms)
    await publish('b', 2)
    expect(await listStored('a')).toEqual(stored)
  })

  it('counts an event of an account as its last one', async () => {
    const { publish, listStored } = openHub({ characterLimit: 3 * 307 })
    await publish('a', 1)
    await publish('b', 2)
    await publish('a', 3)
    await publish('c', 4)
    expect([await listStored('a'), await listStored('b'), await listStored('c')]).toEqual([[1, 3], [], [4]])
  })

  it('starts the ids of an account with the time', async () => {
    const { publish, open } = openHub()
    const { read } = await open('a')
    expect(await read()).toContain(`id: ${startAt - 1}\n`)
    const next = read()
    await publish('a', 1)
    expect(await next).toBe(`id: ${startAt}\nevent: handoff_created\ndata: {"n":1}\n\n`)
  })

  it.each([
    [String(startAt - 1), [1, 2]],
    [String(startAt), [2]],
    [String(startAt + 1), []],
    [String(startAt + 2), [1, 2]],
  ])('sends a client that has received %s the events %j', async (lastEventId, numbers) => {
    const { publish, open } = openHub()
    await publish('a', 1, 2)
    const { read } = await open('a', lastEventId)
    expect([...(await read()).matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n))).toEqual(numbers)
  })

  it('counts the streams of an account and of all, and forgets an account that has neither streams nor events', async () => {
    const { hub, open } = openHub()
    expect([hub.countStreams('a'), hub.countAllStreams()]).toEqual([0, 0])
    const [one] = [await open('a'), await open('a'), await open('b')]
    expect([hub.countStreams('a'), hub.countStreams('b'), hub.countAllStreams()]).toEqual([2, 1, 3])
    one?.abort.abort()
    expect([hub.countStreams('a'), hub.countAllStreams()]).toEqual([1, 2])
  })

  it('keeps the events of an account when its last stream ends', async () => {
    const { publish, listStored } = openHub()
    await publish('a', 1)
    expect([await listStored('a'), await listStored('a')]).toEqual([[1], [1]])
  })

  it('forgets an account whose last stream ends before any event', async () => {
    const { open } = openHub()
    const { abort } = await open('a')
    abort.abort()
    vi.setSystemTime(startAt + 1000)
    expect(await (await open('a')).read()).toContain(`id: ${startAt + 999}\n`)
  })

  it('forgets the events of an account, but not its ids', async () => {
    const { hub, publish, listStored, open } = openHub()
    await publish('a', 1, 2)
    await hub.forget('a')
    expect(await (await open('a')).read()).toContain(`id: ${startAt + 1}\n`)
    await publish('a', 3)
    expect(await listStored('a')).toEqual([3])
  })

  it('closes the streams of ended sign-ins when it forgets an account, and knows no other account', async () => {
    const { hub, open } = openHub()
    await open('a')
    await hub.forget('unknown')
    expect(hub.countStreams('a')).toBe(1)
    await hub.forget('a')
    expect(hub.countStreams('a')).toBe(0)
  })

  it('ends its streams when it closes, and those that are opened later', async () => {
    const { hub, open } = openHub()
    await open('a')
    await hub.close()
    expect(hub.countAllStreams()).toBe(0)
    await open('b')
    expect(hub.countAllStreams()).toBe(0)
  })

  it('sends a transient event to the open streams alone', async () => {
    const { hub, open } = openHub()
    await hub.broadcast('unknown', [{ event: 'presence', data: {}, audience: null }])
    const { read } = await open('a')
    await read()
    const next = read()
    await hub.broadcast('a', [{ event: 'presence', data: { n: 1 }, audience: ['u'] }])
    expect(await next).toBe('event: presence\ndata: {"n":1}\n\n')
  })
})
