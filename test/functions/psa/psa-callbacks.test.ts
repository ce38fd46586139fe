import { afterAll, describe, expect, it } from 'vitest'
import { EscalationEvents } from '#functions/ai/escalations/schemas.ts'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { dashboard, request, startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { createFlow, printerForm } from '#test/support/flows.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa, psaProviders } from '#test/support/psa.ts'
import { buildConnectWiseCallback, buildHaloWebhook, enableCallbacks } from '#test/support/psa-callbacks.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await startOwnService()
const { setFault, clearFaults, advanceClock } = dashboard(service)
afterAll(() => service.close())

const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()
const countChanges = async (accountId: string) =>
  (
    await service.sql<{ state: string }>(
      `select state from psa_ticket_changes where account_id = $1 order by id`,
      [accountId],
    )
  ).map(({ state }) => state)

const { tickets } = buildPsaData()
let lastTicket = 4700
/** Return an open ticket that no other test uses. */
function takeOpenTicket(): string {
  do lastTicket++
  while (tickets.find(({ id }) => id === lastTicket)?.closed !== false)
  return String(lastTicket)
}

describe.each(psaProviders)('%s', (provider) => {
  async function createScene() {
    const account = await createAccount(service)
    await connectPsa(service, account.admin, provider)
    const callbacks = await enableCallbacks(service, account.admin, provider)
    return { ...account, accountId: account.admin.accountId, callbacks, ticketId: takeOpenTicket() }
  }

  it('PSA-27 reads a ticket that a callback names, so that its context is new', async () => {
    const { admin, callbacks, ticketId } = await createScene()
    const before = await admin.client.psa.tickets.getContext({ ticket_id: ticketId })
    await advanceClock(1)
    expect(await callbacks.notify(ticketId)).toMatchObject({ status: 200, body: { queued: 1 } })
    await waitUntilSettled()
    const after = await admin.client.psa.tickets.getContext({ ticket_id: ticketId })
    expect(after.fetched_at > before.fetched_at).toBe(true)
    expect((await admin.client.psa.callbacks.get()).last_received_at).not.toBeNull()
  })

  it('PSA-28 refuses forged callbacks and unknown addresses, and queues nothing', async () => {
    const { accountId, callbacks, ticketId } = await createScene()
    const { send, build, path } = callbacks
    const real = build(ticketId)
    const forged =
      provider === 'connectwise'
        ? [
            buildConnectWiseCallback(service, ticketId, { key: 'another-key-of-an-attacker' }),
            buildConnectWiseCallback(service, ticketId, { companyId: 'other-company' }),
            buildConnectWiseCallback(service, ticketId, {
              keyUrl: 'http://169.254.169.254/latest/meta-data',
            }),
            buildConnectWiseCallback(service, ticketId, {
              keyUrl: `${service.localOrigin.replace('127.0.0.1', '127.0.0.2')}/key`,
            }),
            // Addresses of the system that need credentials, or that do not exist.
            buildConnectWiseCallback(service, ticketId, {
              keyUrl: `${service.localOrigin}/psa/v4_6_release/apis/3.0/service/tickets/4711`,
            }),
            buildConnectWiseCallback(service, ticketId, {
              keyUrl: `${service.localOrigin}/psa/no-such-page`,
            }),
          ]
        : [
            buildHaloWebhook(ticketId, 'wrong'),
            buildHaloWebhook(ticketId, ''),
            { ...real, headers: { authorization: 'Basic %' } },
          ]
    for (const callback of [
      ...forged,
      { ...real, body: `${real.body.slice(0, -1)} }` },
      { ...real, headers: {} },
    ])
      if (provider === 'connectwise' || callback.headers !== real.headers)
        expect((await send(callback)).status, JSON.stringify(callback)).toBe(400)
    for (const other of [
      `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
      path.replace(provider, provider === 'halopsa' ? 'connectwise' : 'halopsa'),
    ])
      expect(
        (
          await request(service, 'POST', other, {
            raw: real.body,
            headers: real.headers as Record<string, string>,
          })
        ).status,
      ).toBe(404)
    expect(await countChanges(accountId)).toEqual([])
  })

  it('PSA-29 a replaced or removed address is 404, and its secrets are stored as hashes', async () => {
    const { admin, accountId, callbacks, ticketId } = await createScene()
    const next = await enableCallbacks(service, admin, provider)
    expect((await callbacks.notify(ticketId)).status).toBe(404)
    expect((await next.notify(ticketId)).status).toBe(200)
    const rows = await service.sql(
      `select * from psa_callbacks c join audit_logs a using (account_id) where account_id = $1`,
      [accountId],
    )
    for (const secret of [next.path.split('/').at(-1) ?? '', ...(next.password ? [next.password] : [])])
      expect(JSON.stringify(rows)).not.toContain(secret)
    await admin.client.psa.callbacks.disable()
    expect((await next.notify(ticketId)).status).toBe(404)
    expect(await admin.client.psa.callbacks.get()).toEqual({ is_enabled: false, last_received_at: null })
  })

  it('PSA-30 tells the open sessions of a ticket about its state once, although callbacks are repeated', async () => {
    const { admin, callbacks, ticketId } = await createScene()
    const stream = await openEscalationStream(service, admin)
    const session = await createSession(admin, { ticket_number: `#${ticketId}` })
    await createSession(admin, { ticket_number: '4601' })
    const replayed = callbacks.build(ticketId)
    for (let n = 0; n < 3; n++) {
      expect((await callbacks.send(replayed)).status).toBe(200)
      await waitUntilSettled()
    }
    await expect.poll(() => stream.events().length).toBe(1)
    const [{ event, data } = {}] = stream.events()
    expect(event).toBe('ticket_changed')
    expect(data).toMatchObject({
      ticket_id: ticketId,
      is_closed: false,
      sessions: [{ session_id: session.id, user_id: admin.id }],
    })
    expect(EscalationEvents.ticket_changed.safeParse(data).error).toBeUndefined()
    await admin.client.psa.tickets.update({ ticket_id: ticketId, member_id: '177' })
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    await expect.poll(() => stream.events().length).toBe(2)
    stream.disconnect()
  })

  it('PSA-31 pauses the schedules of a closed ticket, and no others', async () => {
    const { admin, callbacks, ticketId } = await createScene()
    const stream = await openEscalationStream(service, admin)
    const schedule = await createSchedule(admin, { ticket_number: `#${ticketId}` })
    const other = await createSchedule(admin, { ticket_number: '4601' })
    const { ticket } = await admin.client.psa.tickets.getContext({ ticket_id: ticketId })
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    expect((await admin.client.maintenance.schedules.get({ schedule_id: schedule.id })).is_active).toBe(true)
    await admin.client.psa.tickets.update({ ticket_id: ticketId, status_id: `${ticket.board_id}3` })
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    expect(await admin.client.maintenance.schedules.get({ schedule_id: schedule.id })).toMatchObject({
      is_active: false,
      next_run_at: null,
    })
    expect((await admin.client.maintenance.schedules.get({ schedule_id: other.id })).is_active).toBe(true)
    await expect.poll(() => stream.events().length).toBe(1)
    expect(stream.events()[0]?.data).toMatchObject({
      is_closed: true,
      sessions: [],
      paused_schedule_ids: [schedule.id],
    })
    stream.disconnect()
  })

  it('PSA-32 prepares one session per ticket and rule when 32 callbacks arrive at once', async () => {
    const { admin, accountId, callbacks, ticketId } = await createScene()
    const { ticket } = await admin.client.psa.tickets.getContext({ ticket_id: ticketId })
    const tree_id = (await createFlow(admin)).id
    const keywords = ['no such words', ticket.summary.split(' ').slice(0, 2).join(' - ').toUpperCase()]
    const rule = await admin.client.psa.rules.create({
      name: 'First',
      tree_id,
      board_id: ticket.board_id,
      keywords,
      position: 5,
    })
    await admin.client.psa.rules.create({ name: 'Later', tree_id, position: 6 })
    await admin.client.psa.rules.create({ name: 'Off', tree_id, position: 0, is_enabled: false })
    await admin.client.psa.rules.create({ name: 'Other board', tree_id, position: 1, board_id: '999' })
    await admin.client.psa.rules.create({ name: 'Other type', tree_id, position: 2, ticket_type: 'Hardware' })
    const answers = await Promise.all(Array.from({ length: 32 }, () => callbacks.notify(ticketId)))
    expect(answers.map(({ status }) => status)).toEqual(Array(32).fill(200))
    await waitUntilSettled()
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    expect(new Set(await countChanges(accountId))).toEqual(new Set(['done']))
    const prepared = (await admin.client.sessions.list({ state: 'prepared' })).filter(
      ({ ticket_number }) => ticket_number === ticketId,
    )
    expect(prepared).toHaveLength(1)
    expect(prepared[0]).toMatchObject({ client_name: ticket.company, user_id: admin.id })
    const rules = await admin.client.psa.rules.list()
    expect(rules.find(({ id }) => id === rule.id)).toMatchObject({
      last_error: null,
      last_matched_at: expect.any(String),
    })
    expect(rules.filter(({ last_matched_at }) => last_matched_at !== null)).toHaveLength(1)
  })

  it('PSA-33 fills the variables of a flow from the ticket, and records why a session was not prepared', async () => {
    const { admin, callbacks, ticketId, addColleague } = await createScene()
    const colleague = await addColleague()
    const site = { key: 'site', label: 'Site', type: 'text', required: false }
    const tree_id = (await createFlow(admin, { visibility: 'account', intake_form: [...printerForm, site] }))
      .id
    const variables = { printer_ip: 'company', site: 'company' } as const
    const rule = await admin.client.psa.rules.create({ name: 'R', tree_id, variables, user_id: colleague.id })
    await service.sql(`update users set is_active = false where id = $1`, [colleague.id])
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    const findRule = async () => (await admin.client.psa.rules.list()).find(({ id }) => id === rule.id)
    expect(await findRule()).toMatchObject({
      last_error: 'The user of the rule is deactivated',
      last_matched_at: null,
    })
    await admin.client.psa.rules.update({ rule_id: rule.id, user_id: admin.id })
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    expect((await findRule())?.last_error).not.toBeNull()
    await admin.client.psa.rules.update({ rule_id: rule.id, variables: { site: 'company' } })
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    const [session] = (await admin.client.sessions.list({ state: 'prepared' })).filter(
      ({ ticket_number }) => ticket_number === ticketId,
    )
    const { ticket } = await admin.client.psa.tickets.getContext({ ticket_id: ticketId })
    expect((await admin.client.sessions.get({ session_id: session?.id ?? '' })).variables).toEqual({
      site: ticket.company,
    })
    expect(await findRule()).toMatchObject({ last_error: null })
  })

  it('PSA-34 repeats a read while the provider fails, and gives up after four attempts', async () => {
    const { accountId, callbacks, ticketId } = await createScene()
    await callbacks.notify(ticketId)
    await waitUntilSettled()
    await setFault({ service: 'psa', mode: 'error' })
    const isKeyKnown = (await callbacks.notify(ticketId)).status
    await waitUntilSettled()
    expect([isKeyKnown, await countChanges(accountId)]).toEqual([200, ['done', 'retrying']])
    for (const seconds of [30, 120]) {
      await advanceClock(seconds)
      expect(await countChanges(accountId)).toEqual(['done', 'retrying'])
    }
    await advanceClock(600)
    expect(await countChanges(accountId)).toEqual(['done', 'failed'])
    await clearFaults()
  })

  it('PSA-35 accepts 600 callbacks of an address per minute', async () => {
    const { accountId, callbacks, ticketId } = await createScene()
    await service.sql(
      `update psa_callbacks set calls = 600, counted_since = app.now() where account_id = $1`,
      [accountId],
    )
    expect((await callbacks.notify(ticketId)).status).toBe(429)
    expect(await countChanges(accountId)).toEqual([])
    await advanceClock(61)
    expect((await callbacks.notify(ticketId)).status).toBe(200)
  })

  it('PSA-35 queues a ticket that waits once, and none while 1,000 tickets of the account wait', async () => {
    const { accountId, callbacks, ticketId } = await createScene()
    const insertWaiting = (first: number, count: number) =>
      service.sql(
        `insert into psa_ticket_changes (account_id, ticket_id, next_attempt_at)
         select $1, n::text, app.now() + interval '1 year' from generate_series($2::integer, $2::integer + $3::integer - 1) n`,
        [accountId, first, count],
      )
    const other = takeOpenTicket()
    await insertWaiting(Number(ticketId), 1)
    await insertWaiting(1_000_000, 998)
    expect(await callbacks.notify(ticketId)).toMatchObject({ status: 200, body: { queued: 0 } })
    expect(await callbacks.notify(other)).toMatchObject({ status: 200, body: { queued: 1 } })
    await waitUntilSettled()
    await insertWaiting(2_000_000, 1)
    expect(await callbacks.notify(other)).toMatchObject({ status: 200, body: { queued: 0 } })
    await service.sql('delete from psa_ticket_changes where account_id = $1', [accountId])
  })

  it('PSA-35 ignores callbacks that name no ticket', async () => {
    const { callbacks } = await createScene()
    const { password } = callbacks
    const bodies =
      provider === 'connectwise'
        ? [buildConnectWiseCallback(service, '4711', { type: 'company' })]
        : ['[]', '{}', 'x', '[{"ticket":{"id":"../1"}}]', '{"ticket":{"id":-1}}'].map((body) => ({
            ...buildHaloWebhook('1', password),
            body,
          }))
    for (const callback of bodies)
      expect(await callbacks.send(callback)).toMatchObject({ status: 200, body: { queued: 0 } })
  })
})

it('PSA-28 a callback of one account reads the ticket of that account alone', async () => {
  const [first, second] = [await createAccount(service), await createAccount(service)]
  for (const { admin } of [first, second]) await connectPsa(service, admin)
  const callbacks = await enableCallbacks(service, first.admin, 'connectwise')
  const stream = await openEscalationStream(service, second.admin)
  await createSession(second.admin, { ticket_number: '4711' })
  await callbacks.notify('4711')
  await waitUntilSettled()
  expect([await countChanges(first.admin.accountId), await countChanges(second.admin.accountId)]).toEqual([
    ['done'],
    [],
  ])
  expect(stream.events()).toEqual([])
  stream.disconnect()
})
