import { afterAll, describe, expect, it } from 'vitest'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { connectPsa, type PsaProvider, psaProviders, wrongCredentials } from '#test/support/psa.ts'
import { answerStep, createSession } from '#test/support/sessions.ts'

const service = await startOwnService()
const { listRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

const psaPath = '/integrations/psa'
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()
const findPush = async (person: Person, id: string) =>
  (await person.call('GET', `${psaPath}/pushes`)).body.find((push: { id: string }) => push.id === id)

interface ProviderApi {
  listNotes(ticket: number): Promise<string[]>
}
/** The requests of this test to each provider's own API. */
const providerApis: Record<PsaProvider, ProviderApi> = {
  connectwise: {
    async listNotes(ticket) {
      const headers = { authorization: `Basic ${btoa('demo+demo:demo')}`, clientid: 'demo' }
      const response = await fetch(
        `${service.localOrigin}/psa/v4_6_release/apis/3.0/service/tickets/${ticket}/notes?pageSize=1000`,
        {
          headers,
        },
      )
      return ((await response.json()) as { text: string }[]).map(({ text }) => text)
    },
  },
  halopsa: {
    async listNotes(ticket) {
      const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo' }
      const token = await fetch(`${service.localOrigin}/halo/auth/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
      })
      const authorization = `Bearer ${((await token.json()) as { access_token: string }).access_token}`
      const response = await fetch(`${service.localOrigin}/halo/api/Actions?ticket_id=${ticket}&count=1000`, {
        headers: { authorization },
      })
      return ((await response.json()) as { actions: { note: string }[] }).actions.map(({ note }) => note)
    },
  },
}

const psaData = buildPsaData()
let lastTicketNumber = 4620
describe.each(psaProviders)('%s', (provider) => {
  /** Create an account with a connection and a session with a ticket of its own. */
  async function createScene(): Promise<{
    account: TestAccount
    admin: Person
    session: { id: string }
    ticketNumber: number
    listServiceNotes: () => Promise<string[]>
  }> {
    const account = await createAccount(service)
    await connectPsa(service, account.admin, provider)
    const ticketNumber = ++lastTicketNumber
    const session = await createSession(account.admin, { ticket_number: `#${ticketNumber}` })
    const texts = psaData.tickets.find(({ id }) => id === ticketNumber)?.notes.map(({ text }) => text) ?? []
    const listServiceNotes = async () =>
      (await providerApis[provider].listNotes(ticketNumber)).filter((text) => !texts.includes(text))
    return { account, admin: account.admin, session, ticketNumber, listServiceNotes }
  }
  const pushAndWait = async (person: Person, { id }: { id: string }) => {
    const response = await person.call('POST', `/sessions/${id}/push`, {})
    expect([response.status, response.body.state]).toEqual([202, 'queued'])
    await waitUntilSettled()
    return response.body.id as string
  }

  it('adds the result of a session as a note to its ticket', async () => {
    const { admin, session, listServiceNotes } = await createScene()
    await answerStep(admin, (await admin.call('GET', `/sessions/${session.id}`)).body, 'no')
    await admin.call('PATCH', `/sessions/${session.id}`, { notes: 'Cable <was> loose & "old"' })
    const id = await pushAndWait(admin, session)
    // The queue gets the push after the response.
    await expect
      .poll(() => findPush(admin, id))
      .toMatchObject({
        state: 'pushed',
        attempts: 1,
        last_error: null,
        source_id: session.id,
        requested_by: admin.id,
      })
    const [text, ...otherNotes] = await listServiceNotes()
    expect(otherNotes).toEqual([])
    const note = (await admin.call('GET', `/sessions/${session.id}/export?format=ticket-note`)).text
    expect(text?.trimEnd()).toBe(note.trimEnd())
    for (const part of ['Steps:\n1. ', 'Notes:\nCable <was> loose & "old"']) expect(text).toContain(part)
  })

  it('SES-22 masks notes for the ticket as the account masks its exports', async () => {
    const { admin, session, listServiceNotes } = await createScene()
    await admin.call('PATCH', `/sessions/${session.id}`, { notes: 'Cable of 10.9.8.7 was loose' })
    await admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true })
    await pushAndWait(admin, session)
    const [text] = await listServiceNotes()
    expect(text).toContain('Cable of [masked IP] was loose')
    expect(text).not.toContain('10.9.8.7')
  })

  it('retries a push after 30 s, 2 min and 10 min, then fails it and notifies the session’s owner', async () => {
    const { account, session, listServiceNotes, ticketNumber, admin } = await createScene()
    await setFault({ service: 'psa', mode: 'error' })
    const id = await pushAndWait(admin, session)
    for (const [seconds, attempts] of [
      [30, 1],
      [120, 2],
      [600, 3],
    ] as const) {
      await advanceClock(seconds - 9)
      expect(await findPush(admin, id)).toMatchObject({ state: 'retrying', attempts })
      await advanceClock(9)
    }
    expect(await findPush(admin, id)).toMatchObject({
      state: 'failed',
      attempts: 4,
      next_attempt_at: null,
      last_error: 'The ticketing system returned 503: Service unavailable, by a local fault',
    })
    const [notification] = (await admin.call('GET', '/notifications')).body
    expect(notification).toMatchObject({
      event_key: 'psa.push_failed',
      title: `Push to ticket #${ticketNumber} failed`,
      body: 'The ticketing system returned 503: Service unavailable, by a local fault',
    })
    const colleague = await account.addColleague()
    expect((await colleague.call('GET', '/notifications')).body).toEqual([])
    await clearFaults()
    const retried = await colleague.call('POST', `${psaPath}/pushes/${id}/retry`)
    expect([retried.status, retried.body.state]).toEqual([202, 'retrying'])
    await waitUntilSettled()
    expect([(await findPush(admin, id)).state, (await listServiceNotes()).length]).toEqual(['pushed', 1])
    expect((await admin.call('POST', `${psaPath}/pushes/${id}/retry`)).body).toMatchObject({
      code: 'not_failed',
    })
  })

  it('adds a note once although the response of the first attempt was lost', async () => {
    const { admin, session, listServiceNotes } = await createScene()
    const id = await pushAndWait(admin, session)
    // The state that a worker leaves when it crashes after the provider's response and before it records the
    // result.
    await service.sql(
      `update psa_pushes set state = 'retrying', pushed_at = null, provider_note_id = null, next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where id = $1`,
      [id],
    )
    await service.stack.runCron()
    expect((await findPush(admin, id)).attempts).toBe(1)
    await advanceClock(61)
    expect(await findPush(admin, id)).toMatchObject({
      state: 'pushed',
      attempts: 2,
      provider_note_id: expect.stringMatching(/^\d+$/),
    })
    expect(await listServiceNotes()).toHaveLength(1)
  })

  it('PSA-17 adds one note when 32 clicks push the same result, and another after a minute', async () => {
    const { account, admin, session, listServiceNotes } = await createScene()
    const responses = await Promise.all(
      Array.from({ length: 32 }, () => admin.call('POST', `/sessions/${session.id}/push`, {})),
    )
    expect(responses.map(({ status }) => status).filter((status) => status !== 429)).toEqual(
      Array(10).fill(202),
    )
    expect(new Set(responses.flatMap(({ body }) => body.id ?? []))).toHaveLength(1)
    await waitUntilSettled()
    expect(await listServiceNotes()).toHaveLength(1)
    await advanceClock(61)
    await pushAndWait(await account.addColleague({ role: 'admin' }), session)
    expect(await listServiceNotes()).toHaveLength(2)
  })

  it.each(['duplicate', 'down'])('adds one note while the queue has the fault %s', async (mode) => {
    const { admin, session, listServiceNotes } = await createScene()
    await setFault({ service: 'qstash', mode })
    const id = await pushAndWait(admin, session)
    await advanceClock(60)
    expect([(await findPush(admin, id)).state, (await listServiceNotes()).length]).toEqual(['pushed', 1])
  })

  it('fails a push without a retry for an unknown ticket or a deleted connection', async () => {
    const { admin } = await createScene()
    const unknownTicketSession = await createSession(admin, { ticket_number: '99' })
    expect(await findPush(admin, await pushAndWait(admin, unknownTicketSession))).toMatchObject({
      state: 'failed',
      attempts: 1,
      last_error: expect.stringMatching(/^The ticketing system has no such record/),
    })
    const { admin: disconnectingAdmin, session } = await createScene()
    await setFault({ service: 'psa', mode: 'error', times: 1 })
    const id = await pushAndWait(disconnectingAdmin, session)
    expectStatus(await disconnectingAdmin.call('DELETE', `${psaPath}/connection`), 204)
    await advanceClock(30)
    expect(await findPush(disconnectingAdmin, id)).toMatchObject({
      state: 'failed',
      attempts: 2,
      last_error: 'No ticketing system is connected to this account',
    })
  })

  it('retries a push with refused credentials until they are corrected', async () => {
    const { admin, session, listServiceNotes } = await createScene()
    await admin.call('PUT', `${psaPath}/connection`, wrongCredentials(provider))
    const id = await pushAndWait(admin, session)
    expect(await findPush(admin, id)).toMatchObject({
      state: 'retrying',
      last_error: expect.stringMatching(
        /^The ticketing system refused the credentials: (Access is denied|invalid_client)$/,
      ),
    })
    await connectPsa(service, admin, provider)
    await advanceClock(30)
    expect([(await findPush(admin, id)).state, (await listServiceNotes()).length]).toEqual(['pushed', 1])
  })

  it('adds one note when 32 workers receive the same attempt', async () => {
    const { admin, session, listServiceNotes } = await createScene()
    await setFault({ service: 'qstash', mode: 'down' })
    const id = await pushAndWait(admin, session)
    await clearFaults()
    const { QSTASH_URL, QSTASH_TOKEN } = service.settings
    const message = {
      method: 'POST',
      headers: { authorization: `Bearer ${QSTASH_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ push_id: id, attempt: 1 }),
    }
    await Promise.all(
      Array.from({ length: 32 }, () =>
        fetch(`${QSTASH_URL}/v2/publish/${service.api}/jobs/psa/push`, message),
      ),
    )
    await waitUntilSettled()
    expect([(await findPush(admin, id)).attempts, (await listServiceNotes()).length]).toEqual([1, 1])
  })
})

it('fails a push whose worker crashed in the last attempt, and notifies the session’s owner', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const session = await createSession(admin, { ticket_number: '4801' })
  const { body } = await admin.call('POST', `/sessions/${session.id}/push`, {})
  await waitUntilSettled()
  await service.sql(
    `update psa_pushes set state = 'retrying', attempts = 4, next_attempt_at = app.now(), leased_until = app.now() where id = $1`,
    [body.id],
  )
  await advanceClock(60)
  expect(await findPush(admin, body.id)).toMatchObject({
    state: 'failed',
    attempts: 4,
    last_error: 'The last attempt did not finish',
  })
  expect((await admin.call('GET', '/notifications')).body).toHaveLength(2)
})

it('refuses to push without a connection or a ticket, and to push another user’s session', async () => {
  const { admin, addColleague } = await createAccount(service)
  const [owner, colleague] = [await addColleague(), await addColleague()]
  const session = await createSession(owner, { ticket_number: '4711' })
  const tryPush = async (person: Person, { id }: { id: string }) => {
    const { status, body } = await person.call('POST', `/sessions/${id}/push`, {})
    return [status, body.code]
  }
  expect(await tryPush(owner, session)).toEqual([409, 'psa_not_connected'])
  await connectPsa(service, admin)
  expect(await tryPush(owner, await createSession(owner, { ticket_number: 'T-9/../1' }))).toEqual([
    409,
    'no_ticket',
  ])
  expect(await tryPush(owner, await createSession(owner))).toEqual([409, 'no_ticket'])
  expect(await tryPush(colleague, session)).toEqual([403, undefined])
  expect((await owner.call('GET', `${psaPath}/pushes?state=failed`)).body).toEqual([])
  expect((await owner.call('GET', `${psaPath}/pushes?source_id=${session.id}`)).body).toEqual([])
  expect(await listRecords('redirect')).toEqual([])
})
