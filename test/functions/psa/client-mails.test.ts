import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { buildPsaData, type LocalTicket } from '#local/vendors/psa/psa-data.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa, type PsaProvider, psaProviders } from '#test/support/psa.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await startOwnService()
const { listRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

const { tickets, contacts } = buildPsaData()
const findContact = ({ contactId }: LocalTicket) => contacts.find(({ id }) => id === contactId)
const isMailed: Record<PsaProvider, (ticket: LocalTicket) => boolean> = {
  connectwise: (ticket) => ticket.details.mailsContact,
  halopsa: (ticket) => !findContact(ticket)?.neverMailed,
}
/** Take a ticket of which there is one test, from those that meet the condition. */
function takeTicket(meetsCondition: (ticket: LocalTicket) => boolean): LocalTicket {
  const index = tickets.findIndex(meetsCondition)
  const [ticket] = index < 0 ? [] : tickets.splice(index, 1)
  if (!ticket) throw new Error('No such ticket')
  return ticket
}

interface Call {
  path: string
  request: unknown
}
/** List the notes that the provider was asked to add to a ticket, and to whom it was asked to mail them. */
async function listAddedNotes(ticketId: number) {
  const calls: Call[] = await listRecords('psa')
  return calls.flatMap(({ path, request }) => {
    const note = (Array.isArray(request) ? request[0] : request) as Record<string, unknown> | null
    const isOfTicket = path.endsWith(`/tickets/${ticketId}/notes`) || note?.ticket_id === ticketId
    return isOfTicket && (note?.text ?? note?.note_html)
      ? [
          {
            text: String(note.text ?? note.note_html),
            isMailed: note.processNotifications ?? note.sendemail,
            to: note.emailto,
          },
        ]
      : []
  })
}

describe.each(psaProviders)('%s', (provider) => {
  /** Create a connected account with a session of a ticket whose contact is mailed. */
  async function createScene(
    ticket = takeTicket((candidate) => findContact(candidate) !== undefined && isMailed[provider](candidate)),
  ) {
    const account = await createAccount(service)
    const { admin } = account
    await connectPsa(service, admin, provider)
    const session = await createSession(admin, { ticket_number: String(ticket.id) })
    const push = (body: object = { internal: false, notify: true }) =>
      admin.call('POST', `/sessions/${session.id}/push`, body)
    const listPushes = async () => (await admin.call('GET', `/integrations/psa/pushes?limit=20`)).body
    const preview = (internal = false) =>
      admin.call('GET', `/sessions/${session.id}/push/preview?internal=${internal}`)
    const address = findContact(ticket)?.email
    return {
      account,
      admin,
      ticket,
      session,
      push,
      listPushes,
      preview,
      contact: findContact(ticket),
      address,
    }
  }

  it('PSA-58 has a note mailed to the contact of the ticket, and says to whom and when', async () => {
    const { push, listPushes, ticket, contact, address } = await createScene()
    const queued = await push()
    expectStatus(queued, 202)
    expect(queued.body.client_mail).toEqual({ name: null, address: null, sent_at: null, email_problem: null })
    await waitUntilSettled()
    const [pushed] = await listPushes()
    expect(pushed).toMatchObject({
      state: 'pushed',
      client_mail: { name: contact?.name, address, sent_at: pushed.pushed_at, email_problem: null },
    })
    const to = provider === 'halopsa' ? address : undefined
    expect(await listAddedNotes(ticket.id)).toMatchObject([{ isMailed: true, to }])
  })

  it('PSA-58 mails nobody without the request', async () => {
    const { push, listPushes, ticket } = await createScene()
    expect((await push({ internal: false })).body.client_mail).toBeNull()
    await waitUntilSettled()
    expect((await listPushes())[0]).toMatchObject({ state: 'pushed', client_mail: null })
    expect(await listAddedNotes(ticket.id)).toMatchObject([{ isMailed: false }])
  })

  it('PSA-59 mails a result once for 32 requests, for a late one, and although a response was lost', async () => {
    const { push, listPushes, ticket, address } = await createScene()
    await setFault({ service: 'qstash', mode: 'duplicate' })
    const responses = await Promise.all(Array.from({ length: 32 }, () => push()))
    expect(new Set(responses.flatMap(({ body }) => body.id ?? []))).toHaveLength(1)
    await waitUntilSettled()
    await clearFaults()
    await service.sql(
      `update psa_pushes set state = 'retrying', pushed_at = null, provider_note_id = null, details = details - 'mailed',
              next_attempt_at = app.now(), leased_until = app.now() + interval '60 s' where ticket_id = $1`,
      [String(ticket.id)],
    )
    await advanceClock(61)
    expect(await listPushes()).toMatchObject([{ state: 'pushed', attempts: 2, client_mail: { address } }])
    await push()
    await waitUntilSettled()
    expect(await listAddedNotes(ticket.id)).toHaveLength(1)
  })

  it('PSA-59 mails a result once that is pushed again after its text was deleted', async () => {
    const { push, listPushes, ticket } = await createScene()
    const { body } = await push()
    await waitUntilSettled()
    await service.sql(`update psa_pushes set pushed_at = pushed_at - interval '91 days' where id = $1`, [
      body.id,
    ])
    await advanceClock(24 * 60 * 60)
    expect((await push()).body.id).toBe(body.id)
    await waitUntilSettled()
    expect(await listPushes()).toHaveLength(1)
    expect(await listAddedNotes(ticket.id)).toHaveLength(1)
  })

  it.each([
    ['mails', 'mails', { state: 'pushed', client_mail: { address: expect.any(String) } }],
    ['mails', 'does not mail', { state: 'pushed', client_mail: null }],
    ['does not mail', 'does not mail', { state: 'pushed', client_mail: null }],
    [
      'does not mail',
      'mails',
      { state: 'failed', last_error: expect.stringMatching(/^An earlier push has added the note/) },
    ],
  ])(
    'PSA-65 adds a note once when a push that %s lost every answer and the next one %s',
    async (first, second, result) => {
      const { push, listPushes, ticket } = await createScene()
      const { body } = await push({ internal: false, notify: first === 'mails' })
      await waitUntilSettled()
      const lost = `state = 'failed', attempts = 4, pushed_at = null, provider_note_id = null, details = details - 'mailed'`
      await service.sql(`update psa_pushes set ${lost} where id = $1`, [body.id])
      expectStatus(await push({ internal: false, notify: second === 'mails' }), 202)
      await waitUntilSettled()
      expect((await listPushes())[0]).toMatchObject(result)
      expect(await listAddedNotes(ticket.id)).toMatchObject([{ isMailed: first === 'mails' }])
    },
  )

  it('PSA-59 does not take an earlier note with the same text for the mail', async () => {
    const { push, listPushes, ticket } = await createScene()
    await push({ internal: false })
    await waitUntilSettled()
    await setFault({ service: 'psa', mode: 'error', times: 1 })
    await push()
    await waitUntilSettled()
    await advanceClock(30)
    expect((await listPushes()).map(({ state }: { state: string }) => state)).toEqual(['pushed', 'pushed'])
    expect((await listAddedNotes(ticket.id)).map(({ isMailed }) => isMailed).toSorted()).toEqual([
      false,
      true,
    ])
  })

  it.each([
    ['the ticket has no contact', 'no_contact', (ticket: LocalTicket) => ticket.contactId === null],
    [
      'the ticketing system has e-mails to the contact of this ticket switched off',
      'mail_off',
      (ticket: LocalTicket) => ticket.contactId !== null && !isMailed[provider](ticket),
    ],
  ])(
    'PSA-60 fails a push that can mail nobody because %s, and adds no note',
    async (reason, refusal, meetsCondition) => {
      const { admin, push, listPushes, preview, ticket } = await createScene(takeTicket(meetsCondition))
      expect((await preview()).body).toMatchObject({ recipient: null, refusal })
      expectStatus(await push(), 202)
      await waitUntilSettled()
      const message = `No note was added and nobody was mailed: ${reason}`
      expect(await listPushes()).toMatchObject([
        { state: 'failed', last_error: message, client_mail: { address: null, sent_at: null } },
      ])
      expect((await admin.call('GET', '/notifications')).body).toMatchObject([
        { event_key: 'psa.push_failed', body: message },
      ])
      expect(await listAddedNotes(ticket.id)).toEqual([])
    },
  )

  it('PSA-61 previews what a push adds and whom it mails, and adds nothing', async () => {
    const { admin, session, push, preview, listPushes, ticket, contact, address } = await createScene()
    await admin.call('PATCH', `/sessions/${session.id}`, { client_name: 'Contoso, pw is Winter2026!' })
    const { body } = await preview()
    expect(body).toMatchObject({
      ...{ ticket_id: String(ticket.id), visibility: 'client', refusal: null },
      recipient: { name: contact?.name, address, email_problem: null },
    })
    expect(body.text).not.toContain('Winter2026!')
    expect((await preview(true)).body).toMatchObject({
      visibility: 'internal',
      recipient: null,
      refusal: null,
    })
    expect([await listPushes(), await listAddedNotes(ticket.id)]).toEqual([[], []])
    await push()
    await waitUntilSettled()
    const [note] = await listAddedNotes(ticket.id)
    const toWords = (text: string) => text.replace(/&\w+;|<br>|[^\p{L}\p{N}]+/gu, '')
    expect(toWords(note?.text ?? '')).toBe(toWords(body.text))
  })

  it('PSA-61 answers 409 without a ticket or a connection, and 502 when the ticketing system fails', async () => {
    const { admin, preview } = await createScene()
    const other = await createSession(admin)
    expect((await admin.call('GET', `/sessions/${other.id}/push/preview?internal=false`)).body.code).toBe(
      'no_ticket',
    )
    await setFault({ service: 'psa', mode: 'error' })
    expect((await preview()).status).toBe(502)
    await clearFaults()
    await admin.call('PUT', '/integrations/psa/connection', { is_active: false })
    expect((await preview()).body.code).toBe('psa_not_connected')
  })

  it('PSA-63 tells that the address of the contact bounces', async () => {
    const { push, listPushes, preview, address } = await createScene()
    const occurred_at = '2026-11-20T09:00:00.000Z'
    await service.sql(`select app.record_mail_problem($1, 'bounced', $2)`, [address, occurred_at])
    const email_problem = { kind: 'bounced', occurred_at }
    expect((await preview()).body.recipient).toEqual({ name: expect.any(String), address, email_problem })
    await push()
    await waitUntilSettled()
    expect((await listPushes())[0].client_mail).toMatchObject({ address, email_problem })
    await service.sql(`delete from mail_problems where address_hash = app.address_hash($1)`, [address])
  })

  it('PSA-62 mails an output for the client once, and shows its address masked', async () => {
    const { account, ticket, address } = await createScene()
    const owner = await account.addColleague()
    const { id } = await createAiSession(owner, { psa_ticket_id: String(ticket.id) })
    const path = `/ai-sessions/${id}/outputs`
    const create = async (kind: string) => `${path}/${(await owner.call('POST', path, { kind })).body.id}`
    const outputPath = await create('client_email')
    expect((await owner.call('GET', `${outputPath}/push/preview`)).body).toMatchObject({
      visibility: 'client',
      recipient: { address },
    })
    for (let clicks = 0; clicks < 2; clicks++) {
      expectStatus(await owner.call('POST', `${outputPath}/push`, { notify: true }), 200)
      await waitUntilSettled()
    }
    const [output] = (await owner.call('GET', path)).body
    const masked = `${address?.slice(0, 1)}…@${address?.split('@')[1]}`
    expect(output).toMatchObject({
      psa_push: 'pushed',
      client_mail: { address: masked, sent_at: output.pushed_at },
    })
    expect(await listAddedNotes(ticket.id)).toMatchObject([{ isMailed: true }])
  })
})

it('PSA-62 refuses to mail what the client does not see, and an output that was pushed without', async () => {
  const { admin, addColleague } = await createAccount(service)
  await connectPsa(service, admin)
  const ticket = takeTicket(
    (candidate) => findContact(candidate) !== undefined && candidate.details.mailsContact,
  )
  const session = await createSession(admin, { ticket_number: String(ticket.id) })
  const note = { text: 'Call the vendor.', notify: true }
  const owner = await addColleague()
  const path = `/ai-sessions/${(await createAiSession(owner, { psa_ticket_id: String(ticket.id) })).id}/outputs`
  const create = async (kind: string) => `${path}/${(await owner.call('POST', path, { kind })).body.id}/push`
  for (const refusal of [
    await admin.call('POST', `/sessions/${session.id}/push`, { notify: true }),
    await admin.call('POST', `/integrations/psa/tickets/${ticket.id}/notes`, note),
    await owner.call('POST', await create('ticket_note'), { notify: true }),
  ]) {
    expectStatus(refusal, 422)
    expect(refusal.body.errors).toMatchObject([{ loc: ['body', 'notify'] }])
  }
  const pushPath = await create('client_email')
  expect((await owner.call('POST', pushPath)).body.client_mail).toBeNull()
  const late = await owner.call('POST', pushPath, { notify: true })
  expect([late.status, late.body.code]).toEqual([409, 'already_pushed'])
  expectStatus(
    await admin.call('POST', `/integrations/psa/tickets/${ticket.id}/notes`, {
      ...note,
      visibility: 'client',
    }),
    202,
  )
  await waitUntilSettled()
  expect((await listAddedNotes(ticket.id)).map(({ isMailed }) => isMailed).toSorted()).toEqual([false, true])
})

it('PSA-64 mails a note once that 32 clicks send', async () => {
  const { id, admin } = await createAccount(service)
  await connectPsa(service, admin)
  const ticket = takeTicket(
    (candidate) => findContact(candidate) !== undefined && candidate.details.mailsContact,
  )
  const note = { text: 'It works again.', visibility: 'client', notify: true }
  const client = new pg.Client({ connectionString: service.stack.ownerUrl })
  await client.connect()
  // The check of a foreign key waits for the row, so that no push commits before others look for it.
  await client.query('begin')
  await client.query('select from accounts where id = $1 for update', [id])
  const calls = runConcurrently(() =>
    admin.call('POST', `/integrations/psa/tickets/${ticket.id}/notes`, note),
  )
  const countWaiting = async () => (await service.sql('select from pg_locks where not granted')).length
  await expect.poll(countWaiting, { timeout: 5000 }).toBeGreaterThan(1)
  await client.end()
  const responses = await calls
  expect(new Set(responses.flatMap(({ body }) => body.id ?? []))).toHaveLength(1)
  expect(await service.sql('select from psa_pushes where account_id = $1', [id])).toHaveLength(1)
  await waitUntilSettled()
  expect((await listAddedNotes(ticket.id)).map(({ isMailed }) => isMailed)).toEqual([true])
})

it('PSA-58 forgets the name and the address of a mail after 90 days', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const ticket = takeTicket(
    (candidate) => findContact(candidate) !== undefined && candidate.details.mailsContact,
  )
  const note = { text: 'It works again.', visibility: 'client', notify: true }
  await admin.call('POST', `/integrations/psa/tickets/${ticket.id}/notes`, note)
  await waitUntilSettled()
  await service.sql(`update psa_pushes set pushed_at = pushed_at - interval '91 days' where ticket_id = $1`, [
    String(ticket.id),
  ])
  await advanceClock(24 * 60 * 60)
  const [push] = (await admin.call('GET', '/integrations/psa/pushes')).body
  expect(push.client_mail).toEqual({
    name: null,
    address: null,
    sent_at: push.pushed_at,
    email_problem: null,
  })
})
