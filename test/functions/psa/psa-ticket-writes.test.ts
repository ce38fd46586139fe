import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectRefusal } from '#test/support/expect-refusal.ts'
import { someByDay } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa, psaProviders } from '#test/support/psa.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await startOwnService()
const { listRecords, clearRecords, setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

const psaData = buildPsaData()
const openTickets = psaData.tickets.filter(({ closed }) => !closed)
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()
interface Call {
  method: string
  path: string
  status: number
  request: unknown
}
/** Return the bodies of the writes that the provider accepted. */
const listWrites = async (path: RegExp) =>
  ((await listRecords('psa')) as unknown as Call[])
    .filter((call) => call.method !== 'GET' && call.status < 300 && path.test(call.path))
    .map(({ request }) => (Array.isArray(request) ? request[0] : request) as Record<string, unknown>)
const timePaths = { connectwise: /\/time\/entries/, halopsa: /\/Actions/ }
const ticketPaths = { connectwise: /\/service\/tickets$/, halopsa: /\/Tickets$/ }

/** Put a push back to the state after a worker crashed between the provider's response and its own record. */
const forgetResult = (id: string) =>
  service.sql(
    `update psa_pushes set state = 'retrying', pushed_at = null, provider_note_id = null, next_attempt_at = app.now(),
       leased_until = app.now() + interval '60 s' where id = $1`,
    [id],
  )
let lastTicket = 4650
const takeTicket = () => {
  do lastTicket++
  while (!openTickets.some(({ id }) => id === lastTicket))
  return String(lastTicket)
}

describe.each(psaProviders)('%s', (provider) => {
  async function createScene({ minutes = 7, rounding = {} }: { minutes?: number; rounding?: object } = {}) {
    const { admin } = await createAccount(service)
    await connectPsa(service, admin, provider)
    await admin.client.psa.connection.put(rounding)
    await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
    const ticket_number = takeTicket()
    const session = await createSession(admin, { ticket_number })
    await service.sql(
      `update sessions set started_at = app.now() - make_interval(mins => $2) where id = $1`,
      [session.id, minutes],
    )
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
    await clearRecords('psa')
    return { admin, session, ticket_number }
  }
  const findPush = async (person: Person, id: string) =>
    (await person.client.psa.pushes.list()).find((push) => push.id === id)

  it('PSA-19 finds open tickets by the words of their summary or by their number', async () => {
    const { admin } = await createScene()
    const search = async (text: string) =>
      (await admin.client.psa.tickets.search({ text, page_size: 100 })).items.map(({ id }) => id).sort()
    const expected = openTickets
      .filter(({ summary }) => /vpn/i.test(summary) && /contoso/i.test(summary))
      .map(({ id }) => String(id))
    expect(await search(' contoso  VPN ')).toEqual(expected.sort())
    expect(await search(String(openTickets[3]?.id))).toEqual([String(openTickets[3]?.id)])
  })

  it('PSA-19 uses the first ten words of a search', async () => {
    const { admin } = await createScene()
    const search = async (text: string) =>
      (await admin.client.psa.tickets.search({ text, page_size: 100 })).items.length
    expect(await search(`${'vpn '.repeat(10)}zorblatt`)).toBe(await search('vpn'))
    expect(await search(`${'vpn '.repeat(9)}zorblatt`)).toBe(0)
  })

  it('PSA-20 keeps a search text inside of its literal', async () => {
    const { admin } = await createScene()
    for (const text of ['")or(id!=0)or(summary="', '" or closedFlag=true', 'x\\', '%_*'])
      expect((await admin.client.psa.tickets.search({ text })).items, text).toEqual([])
  })

  it('PSA-21 changes status, board and owner, and reads the ticket anew', async () => {
    const { admin, ticket_number: ticket_id } = await createScene()
    const board = psaData.tickets.find(({ id }) => String(id) === ticket_id)?.boardId === 1 ? 2 : 1
    await admin.client.psa.tickets.getContext({ ticket_id })
    const changed = await admin.client.psa.tickets.update({
      ticket_id,
      board_id: String(board),
      status_id: `${board}1`,
      member_id: 'me',
    })
    expect(changed).toMatchObject({
      board_id: String(board),
      status: 'In Progress',
      owner: 'Lina Haddad',
      is_closed: false,
    })
    expect((await admin.client.psa.tickets.getContext({ ticket_id })).ticket).toMatchObject({
      owner: 'Lina Haddad',
    })
    expect(await admin.client.psa.tickets.update({ ticket_id, member_id: null })).toMatchObject({
      owner: null,
      status: 'In Progress',
    })
    expect(await admin.client.psa.tickets.update({ ticket_id, status_id: `${board}3` })).toMatchObject({
      is_closed: true,
    })
  })

  it('PSA-22 refuses ids that the board or the connection does not have, and writes nothing', async () => {
    const { admin, ticket_number: ticket_id } = await createScene()
    const { update } = admin.client.psa.tickets
    await expectRefusal(update({ ticket_id, board_id: '1' }), 422)
    await expectRefusal(update({ ticket_id, board_id: '4', status_id: '41' }), 422)
    await expectRefusal(update({ ticket_id, status_id: '999' }), 422)
    await expectRefusal(update({ ticket_id, member_id: '999' }), 422)
    await expectRefusal(update({ ticket_id: '99', status_id: '11' }), 404)
    expect(await listWrites(/tickets/i)).toEqual([])
  })

  it.each([
    ['internal', true, false],
    ['client', false, false],
    ['resolution', false, true],
  ] as const)('PSA-23 adds a note with the visibility %s', async (visibility, isInternal, isResolution) => {
    const { admin, ticket_number: ticket_id } = await createScene()
    await admin.client.psa.tickets.getContext({ ticket_id })
    const push = await admin.client.psa.pushes.createNote({
      ticket_id,
      text: 'Fan <b>replaced</b>',
      visibility,
    })
    expect(push).toMatchObject({ kind: 'note', visibility, source_kind: 'user', source_id: admin.id })
    await waitUntilSettled()
    const [note] = await listWrites(/notes|Actions/)
    const sent = [
      note?.internalAnalysisFlag ?? note?.hiddenfromuser,
      note?.resolutionFlag ?? /^Resolution:/.test(String(note?.note_html)),
    ]
    expect(sent).toEqual([isInternal, isResolution])
    const { notes } = await admin.client.psa.tickets.getContext({ ticket_id })
    expect(notes[0]).toMatchObject({
      text: expect.stringContaining('Fan <b>replaced</b>'),
      internal: isInternal,
    })
  })

  it('PSA-24 adds the time of a session, rounded up, for the member of its user', async () => {
    const { admin, session } = await createScene({
      minutes: 16,
      rounding: { time_rounding_minutes: 15, time_minimum_minutes: 10 },
    })
    const push = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id })
    await waitUntilSettled()
    expect(await findPush(admin, push.id)).toMatchObject({
      state: 'pushed',
      kind: 'time_entry',
      visibility: 'internal',
    })
    const [entry] = await listWrites(timePaths[provider])
    const member = (entry?.member as { id: number } | undefined)?.id ?? entry?.who_agentid
    expect([entry?.actualHours ?? entry?.timetaken, member]).toEqual([0.5, 177])
    const again = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id, minutes: 5 })
    expect(again.id).toBe(push.id)
  })

  it('PSA-25 adds a time entry once although the response was lost, and after a failed push', async () => {
    const { admin, session } = await createScene()
    const push = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id })
    await waitUntilSettled()
    await forgetResult(push.id)
    await advanceClock(61)
    expect(await findPush(admin, push.id)).toMatchObject({ state: 'pushed', attempts: 2 })
    await service.sql(`update psa_pushes set state = 'failed' where id = $1`, [push.id])
    const second = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id })
    await waitUntilSettled()
    expect(second.id).not.toBe(push.id)
    expect(await findPush(admin, second.id)).toMatchObject({ state: 'pushed' })
    expect(await listWrites(timePaths[provider])).toHaveLength(1)
    await expectRefusal(admin.client.psa.pushes.retry({ push_id: push.id }), 409)
  })

  /** Return how many time entries of the session each ticket has, read from ConnectWise's data. */
  async function countEntries(sessionId: string) {
    const path = `${service.localOrigin}/psa/v4_6_release/apis/3.0/time/entries?pageSize=1000`
    const authorization = `Basic ${btoa('demo+demo:demo')}`
    const entries = (await (await fetch(path, { headers: { authorization, clientid: 'demo' } })).json()) as {
      chargeToId: number
      notes: string
      internalNotes: string
    }[]
    return entries
      .filter(({ notes, internalNotes }) => `${notes} ${internalNotes}`.includes(`sf-${sessionId}`))
      .map(({ chargeToId }) => String(chargeToId))
  }
  const billTicket = async (id: string) =>
    fetch(`${service.localOrigin}/psa/v4_6_release/apis/3.0/finance/invoices`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('demo+demo:demo')}`,
        clientid: 'demo',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ticket: { id: Number(id) } }),
    })

  it.each(someByDay(['pushed', 'crashed', 'unanswered', 'failed', 'under way'] as const, 2))(
    'PSA-67 moves the time entry of a session to its new ticket after a push that is %s',
    async (state) => {
      const { admin, session, ticket_number } = await createScene()
      const session_id = session.id
      const add = () => admin.client.psa.pushes.createTimeEntry({ session_id, minutes: 25, note: 'Cable' })
      const first = await add()
      await waitUntilSettled()
      const set = (values: string) => service.sql(`update psa_pushes set ${values} where id = $1`, [first.id])
      if (state === 'unanswered')
        await set(`state = 'retrying', next_attempt_at = app.now() + interval '1 hour'`)
      if (state === 'failed') await set(`state = 'failed'`)
      if (state === 'under way')
        await set(`state = 'retrying', leased_until = app.now() + interval '30 s', provider_note_id = null`)
      const target = takeTicket()
      await admin.client.sessions.update({ session_id, ticket_number: `#${target}` })
      const moved = await admin.client.psa.pushes.createTimeEntry({ session_id })
      expect(moved).toMatchObject({ ticket_id: target, requested_by: admin.id })
      // The next attempt begins after the lease of this one.
      if (state === 'under way') await advanceClock(61)
      await waitUntilSettled()
      if (state === 'crashed') {
        // The process ended after the provider had deleted the entry, and before it was added again.
        await service.sql(
          `update psa_pushes set details = details || jsonb_build_object('moved_from', jsonb_build_array($2::text)) where id = $1`,
          [moved.id, ticket_number],
        )
        await forgetResult(moved.id)
        await advanceClock(61)
      }
      expect(await findPush(admin, moved.id)).toMatchObject({ state: 'pushed', ticket_id: target })
      expect(await countEntries(session_id)).toEqual([target])
      const writes = await listWrites(timePaths[provider])
      const hours = writes.flatMap((entry) => entry?.actualHours ?? entry?.timetaken ?? [])
      if (state !== 'failed') expect(new Set(hours).size).toBe(1)
      expect((await add()).id).toBe(moved.id)
      await waitUntilSettled()
      expect(await countEntries(session_id)).toEqual([target])
    },
  )

  it('PSA-67 moves the time of one session once for 4 requests, and back', async () => {
    const { admin, session, ticket_number } = await createScene()
    const session_id = session.id
    const add = () => admin.client.psa.pushes.createTimeEntry({ session_id })
    const first = await add()
    await waitUntilSettled()
    const target = takeTicket()
    for (const ticket of [target, ticket_number]) {
      await admin.client.sessions.update({ session_id, ticket_number: ticket })
      const pushes = await Promise.all(Array.from({ length: 4 }, add))
      expect(new Set(pushes.map(({ id }) => id))).toEqual(new Set([first.id]))
      await waitUntilSettled()
      expect(await countEntries(session_id)).toEqual([ticket])
    }
    expect((await admin.client.psa.tickets.getContext({ ticket_id: target })).notes).not.toContainEqual(
      expect.objectContaining({ text: expect.stringContaining(`sf-${session_id}`) }),
    )
  })

  it('PSA-68 refuses to move time that is billed, also when it is billed while the push waits', async () => {
    const { admin, session, ticket_number } = await createScene()
    const session_id = session.id
    const add = () => admin.client.psa.pushes.createTimeEntry({ session_id })
    const push = await add()
    await waitUntilSettled()
    await admin.client.sessions.update({ session_id, ticket_number: takeTicket() })
    await setFault({ service: 'psa', mode: 'error', times: 100 })
    expect(await expectRefusal(add(), 502)).toMatchObject({ code: 'psa_unavailable' })
    await clearFaults()
    await billTicket(ticket_number)
    expect(await expectRefusal(add(), 409)).toMatchObject({ code: 'wrong_state' })
    await service.sql(
      `update psa_pushes set ticket_id = '4601', state = 'retrying', next_attempt_at = app.now() - interval '10 s',
        details = details || jsonb_build_object('moved_from', jsonb_build_array($2::text)) where id = $1`,
      [push.id, ticket_number],
    )
    await advanceClock(61)
    await waitUntilSettled()
    expect(await findPush(admin, push.id)).toMatchObject({
      state: 'failed',
      last_error: expect.stringMatching(/billed|invoice/),
    })
    expect(await countEntries(session_id)).toEqual([ticket_number])
    expect(await expectRefusal(add(), 409)).toMatchObject({ code: 'wrong_state' })
  })

  it('PSA-26 creates one ticket when 8 requests ask for it, and gives its number to the session', async () => {
    const { admin } = await createScene()
    const session = await createSession(admin, { client_name: 'Contoso Dental' })
    const [company] = await admin.client.psa.tickets.searchCompanies({ text: 'contoso' })
    const create = () =>
      admin.client.psa.pushes.createTicket({
        session_id: session.id,
        company_id: company?.id ?? '',
        board_id: '2',
      })
    const pushes = await Promise.all(Array.from({ length: 8 }, create))
    expect(new Set(pushes.map(({ id }) => id))).toHaveLength(1)
    await waitUntilSettled()
    const [id = ''] = pushes.map((push) => push.id)
    await forgetResult(id)
    await advanceClock(61)
    const push = await findPush(admin, id)
    expect(push).toMatchObject({
      state: 'pushed',
      attempts: 2,
      kind: 'ticket',
      internal: false,
      visibility: 'client',
      ticket_id: expect.stringMatching(/^\d+$/),
    })
    expect(await listWrites(ticketPaths[provider])).toHaveLength(1)
    expect((await admin.client.sessions.get({ session_id: session.id })).ticket_number).toBe(push?.ticket_id)
    const { ticket } = await admin.client.psa.tickets.getContext({ ticket_id: push?.ticket_id ?? '' })
    expect(ticket).toMatchObject({
      board_id: '2',
      company: 'Contoso Dental',
      summary: expect.stringContaining('Contoso Dental'),
    })
    expect(ticket.description?.trim()).toMatch(/^Printer offline \w+\nOutcome: In progress$/)
  })

  it('PSA-26 tells the requester when a ticket could not be created', async () => {
    const { admin } = await createScene()
    const session = await createSession(admin)
    const push = await admin.client.psa.pushes.createTicket({ session_id: session.id, company_id: '999' })
    await waitUntilSettled()
    expect(await findPush(admin, push.id)).toMatchObject({ state: 'failed', attempts: 1, ticket_id: null })
    expect((await admin.client.notifications.list())[0]).toMatchObject({
      title: 'The ticket of a session was not created',
    })
    const second = await admin.client.psa.pushes.createTicket({ session_id: session.id, company_id: '21' })
    await waitUntilSettled()
    expect(await findPush(admin, second.id)).toMatchObject({ state: 'pushed' })
  })

  it('PSA-21 returns a ticket unchanged for an empty change', async () => {
    const { admin, ticket_number: ticket_id } = await createScene()
    const { ticket } = await admin.client.psa.tickets.getContext({ ticket_id })
    expect(await admin.client.psa.tickets.update({ ticket_id })).toEqual(ticket)
    expect(await listWrites(/tickets/i)).toEqual([])
  })

  it('PSA-04 answers a change with 502 while the provider fails', async () => {
    const { admin, ticket_number: ticket_id } = await createScene()
    await setFault({ service: 'psa', mode: 'error', times: 1 })
    await expectRefusal(admin.client.psa.tickets.update({ ticket_id, member_id: null }), 502)
  })
})

it('PSA-24 refuses the time of a session that is not completed, too long, or of an unmapped user', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const session = await createSession(admin, { ticket_number: takeTicket() })
  const add = (input: object = {}) =>
    admin.client.psa.pushes.createTimeEntry({ session_id: session.id, ...input })
  expect((await expectRefusal(add(), 409)).code).toBe('wrong_state')
  await service.sql(`update sessions set started_at = app.now() - interval '25 hours' where id = $1`, [
    session.id,
  ])
  await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
  expect((await expectRefusal(add(), 409)).code).toBe('psa_member_not_mapped')
  await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
  const tooLong = await expectRefusal(add(), 422)
  expect(tooLong.body).toMatchObject({ errors: [{ loc: ['body', 'minutes'] }] })
  await service.sql(`update sessions set started_at = completed_at - interval '24 hours' where id = $1`, [
    session.id,
  ])
  expect((await add()).state).toBe('queued')
})

it.each([
  [{ note: 'Replaced the cable' }, 'Replaced the cable'],
  [{}, 'NAME: Resolved'],
])('PSA-24 describes the time of a session by the request %j as “%s”', async (input, expected) => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
  const session = await createSession(admin, { ticket_number: takeTicket() })
  await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
  const push = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id, minutes: 5, ...input })
  const rows = await service.sql('select body from psa_pushes where id = $1', [push.id])
  expect(rows).toEqual([{ body: expected.replace('NAME', session.tree_snapshot.name) }])
})

it('PSA-26 names a new ticket after the flow and the client, in at most 100 characters', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const session = await createSession(admin, { client_name: '😀'.repeat(99) })
  const push = await admin.client.psa.pushes.createTicket({ session_id: session.id, company_id: '21' })
  const [row] = await service.sql<{ summary: string }>(
    `select details ->> 'summary' as summary from psa_pushes where id = $1`,
    [push.id],
  )
  const characters = Array.from(row?.summary ?? '')
  expect([characters.length, characters.at(-1)]).toEqual([100, '😀'])
  expect(row?.summary).toMatch(/^\w.+: 😀/)
})

it('PSA-26 refuses a ticket for a session that has one', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  const session = await createSession(admin, { ticket_number: '4711' })
  const refusal = await expectRefusal(
    admin.client.psa.pushes.createTicket({ session_id: session.id, company_id: '21' }),
    409,
  )
  expect(refusal.code).toBe('already_has_ticket')
})

it('PSA-25 returns 409 to a retry while another failed push of the session is being reopened', async () => {
  const { admin, id: accountId } = await createAccount(service)
  const source = crypto.randomUUID()
  const insertFailed = async () => {
    const [row] = await service.sql<{ id: string }>(
      `insert into psa_pushes (account_id, kind, ticket_id, body, source_kind, source_id, requested_by, state, attempts, next_attempt_at)
       values ($1, 'time_entry', '4711', 'x', 'session', $2, $3, 'failed', 4, null) returning id`,
      [accountId, source, admin.id],
    )
    return row?.id
  }
  const [first, second] = [await insertFailed(), await insertFailed()]
  const client = new pg.Client({ connectionString: service.ownerUrl })
  await client.connect()
  await client.query('begin')
  await client.query(`update psa_pushes set state = 'retrying', next_attempt_at = now() where id = $1`, [
    first,
  ])
  const retry = admin.call('POST', `/integrations/psa/pushes/${second}/retry`)
  const isWaiting = async () => (await service.sql('select from pg_locks where not granted')).length > 0
  await expect.poll(isWaiting).toBe(true)
  await client.query('commit')
  await client.end()
  const { status, body } = await retry
  expect([status, body.code]).toEqual([409, 'not_failed'])
})

it('PSA-44 reads the context of a project ticket of ConnectWise, changes it, and adds time', async () => {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
  const [project] = psaData.projectTickets
  const ticket_id = String(project?.id)
  const { ticket, notes } = await admin.client.psa.tickets.getContext({ ticket_id })
  expect([ticket.summary, notes.length]).toEqual([project?.summary, project?.notes.length])
  expect((await admin.client.psa.tickets.update({ ticket_id, member_id: '177' })).owner).toBe('Lina Haddad')
  const session = await createSession(admin, { ticket_number: ticket_id })
  await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
  await clearRecords('psa')
  const push = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id })
  await waitUntilSettled()
  await forgetResult(push.id)
  await advanceClock(61)
  expect((await admin.client.psa.pushes.list()).find(({ id }) => id === push.id)).toMatchObject({
    state: 'pushed',
    attempts: 2,
  })
  expect(await listWrites(/time\/entries/)).toMatchObject([
    { chargeToId: project?.id, chargeToType: 'ProjectTicket' },
  ])
})
