import { afterAll, describe, expect, it } from 'vitest'
import { createAiSession, insertFix } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectionBody, connectPsa, type PsaProvider, psaProviders } from '#test/support/psa.ts'

const service = await startOwnService()
const { setFault, clearFaults, advanceClock, listRecords } = dashboard(service)
afterAll(() => service.close())
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()

const psaPath = '/integrations/psa'
const putStatuses = (admin: Person, resolved_statuses: object[]) =>
  admin.call('PUT', `${psaPath}/connection`, { resolved_statuses })

interface Push {
  state: string
  visibility: string
  last_error: string | null
  ticket_status_id: string | null
}
interface Ticket {
  board_id: string
  status: string
  notes: { text: string; internal: boolean }[]
}

let lastTicketNumber = 4680
/**
 * Create a connected account and a case with a ticket of its own. By default its board has a status for
 * resolved cases.
 */
async function createCase(provider: PsaProvider, { mapped = true } = {}) {
  const account = await createAccount(service)
  const { admin } = account
  await connectPsa(service, admin, provider)
  const ticketId = String(++lastTicketNumber)
  const readTicket = async (): Promise<Ticket> => {
    const { body } = await admin.call('GET', `${psaPath}/tickets/${ticketId}/context`)
    return { ...body.ticket, notes: body.notes }
  }
  const { board_id } = await readTicket()
  const closed = `${board_id}3`
  expectStatus(
    await admin.call('PATCH', `${psaPath}/tickets/${ticketId}`, { status_id: `${board_id}1` }),
    200,
  )
  if (mapped) expectStatus(await putStatuses(admin, [{ board_id, status_id: closed }]), 200)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, {
    psa_ticket_id: ticketId,
    problem_summary: 'PRN-2 is offline. Password: Winter2026!',
  })
  const times = { applied_at: '2026-11-21T09:30:00Z', verified_at: '2026-11-21T09:30:00Z' }
  await insertFix(service, session, { title: 'Restart the spooler', status: 'applied_success', ...times })
  await insertFix(service, session, {
    title: 'Buy a printer',
    status: 'applied_failed',
    failure_reason: 'Too expensive',
    ...times,
  })
  const resolve = () =>
    owner.call('POST', `/ai-sessions/${session.id}/resolve`, {
      outcome: 'resolved',
      notes: 'The spooler hung again',
    })
  const listPushes = async (): Promise<Push[]> =>
    (await owner.call('GET', `${psaPath}/pushes?source_id=${session.id}`)).body
  const findResolution = async () =>
    (await listPushes()).find(({ visibility }) => visibility === 'resolution')
  return {
    admin,
    owner,
    session,
    ticketId,
    board_id,
    closed,
    readTicket,
    resolve,
    listPushes,
    findResolution,
  }
}

describe.each(psaProviders)('%s', (provider) => {
  it('PSA-53 PSA-54 writes what the client may read as the resolution of the ticket, and sets the status of its board', async () => {
    const { resolve, readTicket, findResolution, listPushes, closed } = await createCase(provider)
    expectStatus(await resolve(), 200)
    await expect
      .poll(async () => (await listPushes()).map(({ state }) => state))
      .toEqual(['pushed', 'pushed'])
    await expect
      .poll(findResolution)
      .toMatchObject({ state: 'pushed', last_error: null, ticket_status_id: closed })
    const { status, notes } = await readTicket()
    expect(status).toBe('Closed')
    const resolution = notes.find(
      ({ text }) => text.includes('Result\nResolved') && !text.includes('Outcome:'),
    )
    expect(resolution).toMatchObject({ internal: false })
    expect(resolution?.text.replace('Resolution:\n', '').trimEnd()).toBe(
      'Problem\nPRN-2 is offline. Password: [masked secret]\n\nResult\nResolved\n\nWhat was done\n- Restart the spooler',
    )
    // The documentation is for colleagues, as before.
    expect(notes.find(({ text }) => text.includes('The spooler hung again'))).toMatchObject({
      internal: true,
    })
  })

  it('PSA-54 leaves the status alone by default, and on a board without one', async () => {
    const { admin, resolve, readTicket, findResolution, board_id } = await createCase(provider, {
      mapped: false,
    })
    expect((await admin.call('GET', `${psaPath}/connection`)).body.resolved_statuses).toEqual([])
    const otherBoard = board_id === '1' ? '2' : '1'
    expectStatus(await putStatuses(admin, [{ board_id: otherBoard, status_id: `${otherBoard}3` }]), 200)
    expectStatus(await resolve(), 200)
    await expect.poll(findResolution).toMatchObject({ state: 'pushed', ticket_status_id: null })
    expect((await readTicket()).status).toBe('In Progress')
  })

  it('PSA-55 shows a refused status at the push and keeps the resolution; a retry adds no second note', async () => {
    const { admin, owner, resolve, session, findResolution, readTicket, board_id, closed } =
      await createCase(provider)
    // The status is deactivated at the ticketing system after it was chosen.
    await service.sql(
      `update psa_connections set resolved_statuses = jsonb_build_object($2::text, $3::text) where account_id = $1`,
      [session.account_id, board_id, `${board_id}4`],
    )
    expectStatus(await resolve(), 200)
    await expect.poll(findResolution).toMatchObject({
      state: 'failed',
      last_error:
        'The note was added, but the ticket did not get its status. The ticketing system returned 400: The status is inactive',
      ticket_status_id: null,
    })
    expect((await owner.call('GET', `/ai-sessions/${session.id}`)).body.status).toBe('resolved')
    expectStatus(await putStatuses(admin, [{ board_id, status_id: closed }]), 200)
    const failed = (await findResolution()) as Push & { id: string }
    expectStatus(await owner.call('POST', `${psaPath}/pushes/${failed.id}/retry`), 202)
    await expect.poll(findResolution).toMatchObject({ state: 'pushed', ticket_status_id: closed })
    const { notes, status } = await readTicket()
    expect([status, notes.filter(({ text }) => /^(Resolution:\n)?Problem\n/.test(text)).length]).toEqual([
      'Closed',
      1,
    ])
  })

  it('PSA-55 resolves while the ticketing system is away, and writes the resolution later', async () => {
    const { resolve, findResolution, readTicket } = await createCase(provider)
    await setFault({ service: 'psa', mode: 'error' })
    expect((await resolve()).body).toMatchObject({ status: 'resolved', psa_push: 'queued' })
    await waitUntilSettled()
    expect(await findResolution()).toMatchObject({
      state: 'retrying',
      last_error: 'The ticketing system returned 503: Service unavailable, by a local fault',
    })
    await clearFaults()
    await advanceClock(30)
    await expect.poll(findResolution).toMatchObject({ state: 'pushed' })
    expect((await readTicket()).status).toBe('Closed')
  })

  it('PSA-56 offers the statuses of each board with the test of the connection, and takes no others', async () => {
    const { admin } = await createAccount(service)
    await connectPsa(service, admin, provider)
    const { body } = await admin.call('POST', `${psaPath}/connection/test`)
    expect(body.boards.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Alerts',
      'Projects',
      'Service Desk',
    ])
    const ids = body.boards
      .find(({ id }: { id: string }) => id === '2')
      .statuses.map(({ id }: { id: string }) => id)
    expect([ids.includes('23'), ids.includes('24')]).toEqual([true, false])
    const chosen = [{ board_id: '2', status_id: '23' }]
    expect((await putStatuses(admin, chosen)).body.resolved_statuses).toEqual(chosen)
    for (const [board_id, status_id, field] of [
      ['2', '24', 'status_id'],
      ['77', '23', 'board_id'],
    ]) {
      const refusal = await putStatuses(admin, [
        ...chosen.map((item) => ({ ...item, board_id: '1', status_id: '13' })),
        { board_id, status_id } as object,
      ])
      expectStatus(refusal, 422)
      expect(refusal.body.errors).toMatchObject([{ loc: ['body', 'resolved_statuses', 1, field] }])
    }
    expectStatus(await putStatuses(admin, [...chosen, ...chosen]), 422)
    expect(
      (await admin.call('PUT', `${psaPath}/connection`, { time_rounding_minutes: 15 })).body
        .resolved_statuses,
    ).toEqual(chosen)
    // Another provider has other statuses.
    const other = psaProviders.find((name) => name !== provider)
    expect(
      (await admin.call('PUT', `${psaPath}/connection`, connectionBody(service, other))).body
        .resolved_statuses,
    ).toEqual([])
    await setFault({ service: 'psa', mode: 'error' })
    expectStatus(await putStatuses(admin, chosen), 502)
    await clearFaults()
  })
})

it('PSA-53 marks the note of ConnectWise as the resolution', async () => {
  const { resolve, findResolution, ticketId } = await createCase('connectwise')
  expectStatus(await resolve(), 200)
  await expect.poll(findResolution).toMatchObject({ state: 'pushed' })
  const calls: {
    path: string
    request: { text?: string; resolutionFlag?: boolean; internalFlag?: boolean }
  }[] = await listRecords('psa')
  const added = calls.filter(
    ({ path, request }) => path.endsWith(`/tickets/${ticketId}/notes`) && request?.text,
  )
  expect(added.map(({ request }) => [request.resolutionFlag, request.internalFlag]).toSorted()).toEqual([
    [false, true],
    [true, false],
  ])
})

it('PSA-57 proposes the time of a resolved case, rounded up, and never nothing', async () => {
  const { admin, owner, session, resolve } = await createCase('connectwise')
  const body = { time_rounding_minutes: 15, time_minimum_minutes: 0 }
  expectStatus(await admin.call('PUT', `${psaPath}/connection`, body), 200)
  await service.sql(`update ai_sessions set created_at = created_at - interval '31 minutes' where id = $1`, [
    session.id,
  ])
  expect((await resolve()).body.proposed_minutes).toBe(45)
  const other = await createAiSession(owner)
  expectStatus(await admin.call('PUT', `${psaPath}/connection`, { time_rounding_minutes: 1 }), 200)
  expect(
    (await owner.call('POST', `/ai-sessions/${other.id}/resolve`, { outcome: 'resolved' })).body
      .proposed_minutes,
  ).toBe(1)
})
