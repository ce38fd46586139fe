import { afterAll, expect, it } from 'vitest'
import { request, startOwnService } from '#test/support/app.ts'
import { insertStreamEvents, openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())

const pollOptions = { timeout: 30_000, interval: 20 }

async function createTicket(person: Person): Promise<string> {
  const { body } = expectStatus(await person.call('POST', '/auth/stream-ticket'), 201)
  return body.ticket
}

/**
 * Open the stream as an EventSource does: without a token, and with the id of the last event when it
 * reconnects.
 */
function openWithTicket(ticket: string, lastEventId?: string) {
  return openEscalationStream(
    service,
    { token: '' },
    lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    `?ticket=${ticket}`,
  )
}

/** Open a stream with a new ticket, and return the id that it starts with. */
async function openFirst(person: Person) {
  const ticket = await createTicket(person)
  const stream = await openWithTicket(ticket)
  expectStatus(stream, 200)
  const readId = () => /^id: (\S+)$/m.exec(stream.text())?.[1] ?? ''
  await expect.poll(readId, pollOptions).not.toBe('')
  return { ticket, stream, id: readId() }
}

/** Open a stream with a ticket and return the status of the answer. */
async function tryTicket(ticket: string, lastEventId?: string): Promise<number> {
  const stream = await openWithTicket(ticket, lastEventId)
  stream.disconnect()
  return stream.status
}

const moveExpiry = (interval: string) =>
  service.sql(`update stream_tickets set expires_at = expires_at - $1::interval`, [interval])

it('SSE-21 opens a stream of my account with a ticket instead of a token', async () => {
  const [{ id, admin }, neighbour] = [await createAccount(service), await createAccount(service)]
  const { body } = expectStatus(await admin.call('POST', '/auth/stream-ticket'), 201)
  expect(body).toEqual({ ticket: expect.stringMatching(/^[\w-]{43}$/), expires_in: 60 })
  const stream = await openWithTicket(body.ticket)
  await insertStreamEvents(service, neighbour.id, 2)
  await insertStreamEvents(service, id, 1)
  await expect.poll(() => stream.events().map(({ data }) => data.n), pollOptions).toEqual([1])
  stream.disconnect()
})

it('SSE-21 admits one of 32 concurrent uses of a ticket', async () => {
  const { admin } = await createAccount(service)
  const ticket = await createTicket(admin)
  const statuses = await Promise.all(Array.from({ length: 32 }, () => tryTicket(ticket)))
  expect(statuses.toSorted()).toEqual([200, ...Array(31).fill(401)])
})

it('SSE-21 refuses a ticket after 60 seconds', async () => {
  const { admin } = await createAccount(service)
  const [early, late] = [await createTicket(admin), await createTicket(admin)]
  await moveExpiry('50 seconds')
  expect(await tryTicket(early)).toBe(200)
  await moveExpiry('10 seconds')
  expect(await tryTicket(late)).toBe(401)
})

it('SSE-22 admits the used ticket of a client that reconnects with its last id, and sends what it missed', async () => {
  const { id: accountId, admin } = await createAccount(service)
  const { ticket, stream } = await openFirst(admin)
  await insertStreamEvents(service, accountId, 1)
  await expect.poll(() => stream.events().length, pollOptions).toBe(1)
  stream.disconnect()
  await insertStreamEvents(service, accountId, 2)
  let lastId = stream.events()[0]?.id
  for (let n = 0; n < 2; n++) {
    const reconnected = await openWithTicket(ticket, lastId)
    await expect.poll(() => reconnected.events().length, pollOptions).toBe(2 - n)
    lastId = reconnected.events()[0]?.id
    reconnected.disconnect()
  }
})

it('SSE-22 refuses a used ticket without the secret of its stream', async () => {
  const { admin } = await createAccount(service)
  const [first, other] = [await openFirst(admin), await openFirst(admin)]
  const [number] = first.id.split('.')
  for (const lastEventId of [
    undefined,
    number,
    `${number}.`,
    `${number}.${'A'.repeat(43)}`,
    `${first.id}.1`,
    other.id,
  ])
    expect([lastEventId, await tryTicket(first.ticket, lastEventId)]).toEqual([lastEventId, 401])
  expect(await tryTicket(await createTicket(admin), first.id)).toBe(401)
  expect(await tryTicket(first.ticket, first.id)).toBe(200)
  for (const { stream } of [first, other]) stream.disconnect()
})

it('SSE-22 refuses a reconnect 24 hours after the last connection began', async () => {
  const { admin } = await createAccount(service)
  const { ticket, id, stream } = await openFirst(admin)
  stream.disconnect()
  for (let hours = 0; hours < 46; hours += 23) {
    await moveExpiry('23 hours')
    expect(await tryTicket(ticket, id)).toBe(200)
  }
  await moveExpiry('24 hours')
  expect(await tryTicket(ticket, id)).toBe(401)
})

it('SSE-23 ends the ticket and its reconnects with the sign-in, and refuses a viewer', async () => {
  const { admin, addColleague } = await createAccount(service)
  const [unused, { ticket, id, stream }] = [await createTicket(admin), await openFirst(admin)]
  stream.disconnect()
  expectStatus(await admin.call('DELETE', `/auth/me/sessions/${admin.signInId}`), 204)
  expect([await tryTicket(unused), await tryTicket(ticket, id)]).toEqual([401, 401])
  expect(await tryTicket(await createTicket(await addColleague({ role: 'viewer' })))).toBe(403)
})

it('SSE-23 stores a ticket and its secret as hashes, and writes them into no log line', async () => {
  const { admin } = await createAccount(service)
  const { ticket, id, stream } = await openFirst(admin)
  expect([await tryTicket(ticket, id), await tryTicket(ticket)]).toEqual([200, 401])
  const [, secret = ''] = id.split('.')
  const rows = await service.sql('select t::text as text from stream_tickets t')
  for (const text of [JSON.stringify(rows), service.log.join('\n')])
    for (const value of [ticket, secret]) expect(text).not.toContain(value)
  stream.disconnect()
})

it('SSE-23 admits a ticket to no other operation', async () => {
  const { admin } = await createAccount(service)
  const ticket = await createTicket(admin)
  expectStatus(await request(service, 'GET', `/auth/me?ticket=${ticket}`), 401)
  expect(await tryTicket(ticket)).toBe(200)
})

it.each(['', 'x', 'A'.repeat(43), `${'A'.repeat(43)}'`])('refuses the ticket "%s"', async (ticket) => {
  expect(await tryTicket(encodeURIComponent(ticket))).toBe(401)
})

it('SSE-22 takes the number of a last id in the URL of the next ticket, and refuses its secret there', async () => {
  const { id: accountId, admin } = await createAccount(service)
  const { id, stream } = await openFirst(admin)
  stream.disconnect()
  await insertStreamEvents(service, accountId, 1)
  const openAfter = async (lastEventId: string) =>
    openWithTicket(`${await createTicket(admin)}&last_event_id=${lastEventId}`)
  const resumed = await openAfter(id.split('.')[0] ?? '')
  await expect.poll(() => resumed.events().length, pollOptions).toBe(1)
  expect((await openAfter(id)).status).toBe(422)
  resumed.disconnect()
})

it('SSE-24 sends a client that lost its stream before the first event what it missed', async () => {
  const { id: accountId, admin } = await createAccount(service)
  const stream = await openEscalationStream(service, admin)
  await expect.poll(() => stream.text(), pollOptions).toMatch(/\nid: \d+\n\n$/)
  stream.disconnect()
  await insertStreamEvents(service, accountId, 1)
  const [, id = ''] = /\nid: (\d+)\n\n$/.exec(stream.text()) ?? []
  const reconnected = await openEscalationStream(service, admin, { 'last-event-id': id })
  await expect.poll(() => reconnected.events().length, pollOptions).toBe(1)
  reconnected.disconnect()
})
