import { expect, it, onTestFinished, vi } from 'vitest'
import { createAccountStreams } from '#vendors/realtime/account-streams.ts'
import { startWithNewEvents } from '#vendors/realtime/stored-events.ts'

const heartbeatMs = 25_000

/** Create the streams of an account with sign-in checks that the test answers, and a clock for heartbeats. */
function createTestStreams() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const checks: { signIns: string[]; resolve(active: Set<string>): void; reject(error: Error): void }[] = []
  let emptied = 0
  const selectActiveSignIns = (owners: readonly { signInId: string }[]) =>
    new Promise<Set<string>>((resolve, reject) =>
      checks.push({ signIns: owners.map(({ signInId }) => signInId), resolve, reject }),
    )
  const streams = createAccountStreams({ heartbeatMs, selectActiveSignIns }, () => emptied++)
  const open = (signInId: string) => {
    const abort = new AbortController()
    const body = streams.open(
      { accountId: 'a', userId: `user of ${signInId}`, signInId },
      startWithNewEvents(0),
      abort.signal,
    )
    const reader = body.getReader()
    return { reader, abort, read: async () => new TextDecoder().decode((await reader.read()).value) }
  }
  const beat = async (answer: 'fails' | string[]) => {
    const checksBefore = checks.length
    vi.advanceTimersByTime(heartbeatMs)
    const check = checks[checksBefore]
    if (answer === 'fails') check?.reject(new Error('The database is away'))
    else check?.resolve(new Set(answer))
    await new Promise((resolve) => setImmediate(resolve))
    return checks.length - checksBefore
  }
  return { streams, checks, open, beat, countEmptied: () => emptied }
}

it('a heartbeat closes the streams of ended sign-ins with one check, and keeps the others', async () => {
  const { streams, checks, open, beat } = createTestStreams()
  for (const signIn of ['one', 'two', 'three']) open(signIn)
  await beat(['one', 'three'])
  expect([checks.map(({ signIns }) => signIns), streams.count()]).toEqual([[['one', 'two', 'three']], 2])
})

it('three failed checks in a row keep the streams, and the fourth closes all of them', async () => {
  const { streams, open, beat } = createTestStreams()
  open('one')
  const counts = []
  for (const answer of ['fails', 'fails', 'fails', ['one'], 'fails', 'fails', 'fails', 'fails'] as const) {
    await beat(answer === 'fails' ? answer : [...answer])
    counts.push(streams.count())
  }
  expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 0])
})

it('a check that takes longer than a heartbeat is not repeated, and does not close streams that were opened meanwhile', async () => {
  const { streams, checks, open, beat } = createTestStreams()
  open('one')
  vi.advanceTimersByTime(heartbeatMs * 3)
  open('two')
  expect(checks).toHaveLength(1)
  checks[0]?.resolve(new Set())
  await new Promise((resolve) => setImmediate(resolve))
  expect(streams.count()).toBe(1)
  expect([await beat(['two']), streams.count()]).toEqual([1, 1])
})

it('a client that has read nothing for five minutes is disconnected', async () => {
  const { streams, open, beat } = createTestStreams()
  const stalled = open('stalled')
  await stalled.read()
  streams.send({ id: 1, event: 'handoff_created', data: '{}' })
  for (let n = 1; n <= 11; n++) await beat(['stalled'])
  expect(streams.count()).toBe(1)
  await beat(['stalled'])
  expect(streams.count()).toBe(0)
})

it('heartbeats and checks stop with the last stream, and start with the next', async () => {
  const { streams, open, beat, countEmptied } = createTestStreams()
  const { abort } = open('one')
  abort.abort()
  expect([streams.count(), countEmptied(), await beat([]), vi.getTimerCount()]).toEqual([0, 1, 0, 0])
  open('two')
  expect([await beat(['two']), vi.getTimerCount()]).toEqual([1, 1])
})

it('a stream whose client is gone already is not kept', () => {
  const { streams, countEmptied } = createTestStreams()
  const owner = { accountId: 'a', userId: 'u', signInId: 's' }
  streams.open(owner, startWithNewEvents(0), AbortSignal.abort())
  expect([streams.count(), countEmptied()]).toEqual([0, 1])
})

it('closing ends every stream, with a new reconnection time for clients that read', async () => {
  const { streams, open } = createTestStreams()
  const [reading, busy] = [open('one'), open('two')]
  await reading.read()
  const text = reading.read()
  await Promise.resolve()
  streams.close()
  expect(await text).toMatch(/^retry: [2-5]\d{3}\n\n$/)
  expect((await reading.reader.read()).done).toBe(true)
  expect(await busy.read()).toContain('retry: ')
  expect([(await busy.reader.read()).done, streams.count()]).toEqual([true, 0])
})
