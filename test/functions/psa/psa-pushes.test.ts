import { afterAll, describe, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService } from '../../support/app.ts'
import { type AccountOf, newAccount, type Person } from '../../support/people.ts'
import { connect, type Provider, providers, wrongKeys } from '../../support/psa.ts'
import { answer, newSession } from '../../support/sessions.ts'

const service = await ownService()
const { read, fault, lift, advance } = desk(service)
afterAll(() => service.close())

const at = '/integrations/psa'
const settled = () => service.stack.local.qstash.settled()
const pushOf = async (person: Person, id: string) =>
  (await person.call('GET', `${at}/pushes`)).body.find((push: { id: string }) => push.id === id)

interface Wire {
  notes(ticket: number): Promise<string[]>
}
/** What stands on a ticket, by the provider's own API. */
const wires: Record<Provider, Wire> = {
  connectwise: {
    async notes(ticket) {
      const headers = { authorization: `Basic ${btoa('demo+demo:demo')}`, clientid: 'demo' }
      const answered = await fetch(`${service.local}/psa/v4_6_release/apis/3.0/service/tickets/${ticket}/notes?pageSize=1000`, { headers })
      return ((await answered.json()) as { text: string }[]).map(({ text }) => text)
    },
  },
  halopsa: {
    async notes(ticket) {
      const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo' }
      const token = await fetch(`${service.local}/halo/auth/token`, { method: 'POST', body: new URLSearchParams(form) })
      const authorization = `Bearer ${((await token.json()) as { access_token: string }).access_token}`
      const answered = await fetch(`${service.local}/halo/api/Actions?ticket_id=${ticket}&count=1000`, { headers: { authorization } })
      return ((await answered.json()) as { actions: { note: string }[] }).actions.map(({ note }) => note)
    },
  },
}

let ticket = 4620
describe.each(providers)('%s', (provider) => {
  /** A fresh account with a session on a ticket of its own, and how to push it. */
  async function scene(): Promise<{
    account: AccountOf
    admin: Person
    session: { id: string }
    number: number
    notes: () => Promise<string[]>
  }> {
    const account = await newAccount(service)
    await connect(service, account.admin, provider)
    const number = ++ticket
    const session = await newSession(account.admin, { ticket_number: `#${number}` })
    const notes = async () => (await wires[provider].notes(number)).filter((text) => text.includes('[Support Flow'))
    return { account, admin: account.admin, session, number, notes }
  }
  const push = async (person: Person, { id }: { id: string }) => {
    const made = await person.call('POST', `/sessions/${id}/push`, {})
    expect([made.status, made.body.state]).toEqual([202, 'queued'])
    await settled()
    return made.body.id as string
  }

  it('writes what a session came to on its ticket', async () => {
    const { admin, session, notes } = await scene()
    await answer(admin, (await admin.call('GET', `/sessions/${session.id}`)).body, 'no')
    await admin.call('PATCH', `/sessions/${session.id}`, { notes: 'Cable <was> loose & "old"' })
    const id = await push(admin, session)
    expect(await pushOf(admin, id)).toMatchObject({
      state: 'pushed',
      attempts: 1,
      last_error: null,
      source_id: session.id,
      requested_by: admin.id,
    })
    const [text, ...more] = await notes()
    expect(more).toEqual([])
    const note = (await admin.call('GET', `/sessions/${session.id}/export?format=ticket-note`)).text
    expect(text?.replace(/\r\n/g, '\n')).toContain(note.trimEnd())
    for (const part of ['Steps:\n1. ', 'Notes:\nCable <was> loose & "old"', `[Support Flow ${id}]`]) expect(text).toContain(part)
  })

  it('SES-22 hides on the ticket what the account hides in its exports', async () => {
    const { admin, session, notes } = await scene()
    await admin.call('PATCH', `/sessions/${session.id}`, { notes: 'Cable of 10.9.8.7 was loose' })
    await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
    await push(admin, session)
    const [text] = await notes()
    expect(text).toContain('Cable of [masked IP] was loose')
    expect(text).not.toContain('10.9.8.7')
  })

  it('tries again after 30 s, 2 min and 10 min, then fails and tells the owner', async () => {
    const { account, session, notes, number, admin } = await scene()
    await fault({ service: 'psa', mode: 'error' })
    const id = await push(admin, session)
    for (const [seconds, attempts] of [
      [30, 1],
      [120, 2],
      [600, 3],
    ] as const) {
      await advance(seconds - 9)
      expect(await pushOf(admin, id)).toMatchObject({ state: 'retrying', attempts })
      await advance(9)
    }
    expect(await pushOf(admin, id)).toMatchObject({
      state: 'failed',
      attempts: 4,
      next_attempt_at: null,
      last_error: 'The ticketing system answered 503',
    })
    const [told] = (await admin.call('GET', '/notifications')).body
    expect(told).toMatchObject({
      event_key: 'psa.push_failed',
      title: `Push to ticket #${number} failed`,
      body: 'The ticketing system answered 503',
    })
    const colleague = await account.colleague()
    expect((await colleague.call('GET', '/notifications')).body).toEqual([])
    await lift()
    const again = await colleague.call('POST', `${at}/pushes/${id}/retry`)
    expect([again.status, again.body.state]).toEqual([202, 'retrying'])
    await settled()
    expect([(await pushOf(admin, id)).state, (await notes()).length]).toEqual(['pushed', 1])
    expect((await admin.call('POST', `${at}/pushes/${id}/retry`)).body).toMatchObject({ code: 'not_failed' })
  })

  it('writes a note once although the answer of the first attempt was lost', async () => {
    const { admin, session, notes } = await scene()
    const id = await push(admin, session)
    // As a worker leaves it that dies between the provider's answer and its own record.
    await service.sql(
      `update psa_pushes set state = 'retrying', pushed_at = null, provider_note_id = null, next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where id = $1`,
      [id],
    )
    await service.stack.tick()
    expect((await pushOf(admin, id)).attempts).toBe(1)
    await advance(61)
    expect(await pushOf(admin, id)).toMatchObject({ state: 'pushed', attempts: 2, provider_note_id: expect.stringMatching(/^\d+$/) })
    expect(await notes()).toHaveLength(1)
  })

  it.each(['duplicate', 'down'])('pushes once while the queue is in %s', async (mode) => {
    const { admin, session, notes } = await scene()
    await fault({ service: 'qstash', mode })
    const id = await push(admin, session)
    await advance(60)
    expect([(await pushOf(admin, id)).state, (await notes()).length]).toEqual(['pushed', 1])
  })

  it('fails at once for a ticket that is not there, and for a connection that is gone', async () => {
    const { admin } = await scene()
    const lost = await newSession(admin, { ticket_number: '99' })
    expect(await pushOf(admin, await push(admin, lost))).toMatchObject({
      state: 'failed',
      attempts: 1,
      last_error: 'The ticketing system knows no such thing',
    })
    const { admin: leaving, session } = await scene()
    await fault({ service: 'psa', mode: 'error', times: 1 })
    const id = await push(leaving, session)
    expectStatus(await leaving.call('DELETE', `${at}/connection`), 204)
    await advance(30)
    expect(await pushOf(leaving, id)).toMatchObject({
      state: 'failed',
      attempts: 2,
      last_error: 'No ticketing system is connected to this account',
    })
  })

  it('waits for who puts the credentials right', async () => {
    const { admin, session, notes } = await scene()
    await admin.call('PUT', `${at}/connection`, wrongKeys(provider))
    const id = await push(admin, session)
    expect(await pushOf(admin, id)).toMatchObject({ state: 'retrying', last_error: 'The ticketing system refused the credentials' })
    await connect(service, admin, provider)
    await advance(30)
    expect([(await pushOf(admin, id)).state, (await notes()).length]).toEqual(['pushed', 1])
  })

  it('writes one note when 32 workers take the same attempt', async () => {
    const { admin, session, notes } = await scene()
    await fault({ service: 'qstash', mode: 'down' })
    const id = await push(admin, session)
    await lift()
    const { QSTASH_URL, QSTASH_TOKEN } = service.settings
    const message = {
      method: 'POST',
      headers: { authorization: `Bearer ${QSTASH_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ push_id: id, attempt: 1 }),
    }
    await Promise.all(Array.from({ length: 32 }, () => fetch(`${QSTASH_URL}/v2/publish/${service.api}/jobs/psa/push`, message)))
    await settled()
    expect([(await pushOf(admin, id)).attempts, (await notes()).length]).toEqual([1, 1])
  })
})

it('ends a push whose last worker was lost, and tells the owner', async () => {
  const { admin } = await newAccount(service)
  await connect(service, admin)
  const session = await newSession(admin, { ticket_number: '4801' })
  const { body } = await admin.call('POST', `/sessions/${session.id}/push`, {})
  await settled()
  await service.sql(
    `update psa_pushes set state = 'retrying', attempts = 4, next_attempt_at = app.now(), leased_until = app.now() where id = $1`,
    [body.id],
  )
  await advance(60)
  expect(await pushOf(admin, body.id)).toMatchObject({ state: 'failed', attempts: 4, last_error: 'The last attempt never reported back' })
  expect((await admin.call('GET', '/notifications')).body).toHaveLength(2)
})

it('refuses a session without a ticket, one of somebody else, and an account without a connection', async () => {
  const { admin, colleague } = await newAccount(service)
  const [owner, other] = [await colleague(), await colleague()]
  const unconnected = await newSession(owner, { ticket_number: '4711' })
  const refused = async (person: Person, { id }: { id: string }) => {
    const { status, body } = await person.call('POST', `/sessions/${id}/push`, {})
    return [status, body.code]
  }
  expect(await refused(owner, unconnected)).toEqual([409, 'psa_not_connected'])
  await connect(service, admin)
  expect(await refused(owner, await newSession(owner, { ticket_number: 'T-9/../1' }))).toEqual([409, 'no_ticket'])
  expect(await refused(owner, await newSession(owner))).toEqual([409, 'no_ticket'])
  expect(await refused(other, unconnected)).toEqual([403, undefined])
  expect((await owner.call('GET', `${at}/pushes?state=failed`)).body).toEqual([])
  expect((await owner.call('GET', `${at}/pushes?source_id=${unconnected.id}`)).body).toEqual([])
  expect(await read('redirect')).toEqual([])
})
