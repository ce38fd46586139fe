import { afterAll, describe, expect, it } from 'vitest'
import { buildPsaData } from '#local/vendors/psa/psa-data.ts'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createSchedule } from '#test/support/maintenance.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa, psaProviders } from '#test/support/psa.ts'
import { enableCallbacks } from '#test/support/psa-callbacks.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await startOwnService()
const { listRecords, clearRecords } = dashboard(service)
afterAll(() => service.close())

const openTickets = buildPsaData().tickets.filter(({ closed }) => !closed)
const waitUntilSettled = () => service.stack.localServer.qstash.waitUntilSettled()
const apiRoot = () => `${service.localOrigin}/psa/v4_6_release/apis/3.0`
let taken = 60
const takeTicket = () => openTickets[++taken] as (typeof openTickets)[number]

/** Merge a ticket through ConnectWise's API; both emulators serve the same tickets. */
async function mergeTicket(ticketId: number, parentId: number): Promise<void> {
  const headers = {
    authorization: `Basic ${btoa('demo+demo:demo')}`,
    clientid: 'demo',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ mergeTicketIds: [ticketId] })
  expect(
    (await fetch(`${apiRoot()}/service/tickets/${parentId}/merge`, { method: 'POST', headers, body })).status,
  ).toBe(200)
}

describe.each(psaProviders)('%s', (provider) => {
  /**
   * Create an account whose session has a ticket that is merged into a second one, and that into a third one.
   */
  async function createScene() {
    const { admin } = await createAccount(service)
    await connectPsa(service, admin, provider)
    await admin.client.psa.members.putMapping({ user_id: admin.id, psa_member_id: '177' })
    const [ticket, second, survivor] = [takeTicket(), takeTicket(), takeTicket()]
    const session = await createSession(admin, { ticket_number: String(ticket.id) })
    await admin.client.sessions.steps.complete({ session_id: session.id, outcome: 'resolved' })
    await mergeTicket(ticket.id, second.id)
    await mergeTicket(second.id, survivor.id)
    return { admin, ticket, second, survivor, session }
  }
  const findPush = async (person: Person, id: string) =>
    (await person.client.psa.pushes.list()).find((push) => push.id === id)

  it('PSA-48 a ticket says which one it was merged into', async () => {
    const { admin, ticket, second, survivor } = await createScene()
    const readTarget = async ({ id }: { id: number }) =>
      (await admin.client.psa.tickets.getContext({ ticket_id: String(id) })).ticket.merged_into
    expect([await readTarget(ticket), await readTarget(second), await readTarget(survivor)]).toEqual([
      String(second.id),
      String(survivor.id),
      null,
    ])
  })

  it('PSA-48 adds notes and time to the ticket that is left, and shows them there as added by the service', async () => {
    const { admin, ticket, survivor, session } = await createScene()
    await admin.client.psa.tickets.getContext({ ticket_id: String(survivor.id) })
    const note = await admin.client.psa.pushes.createNote({
      ticket_id: String(ticket.id),
      text: 'Fan replaced',
      visibility: 'internal',
    })
    const time = await admin.client.psa.pushes.createTimeEntry({ session_id: session.id, minutes: 5 })
    await waitUntilSettled()
    for (const { id } of [note, time])
      expect(await findPush(admin, id)).toMatchObject({ state: 'pushed', ticket_id: String(survivor.id) })
    const { notes } = await admin.client.psa.tickets.getContext({ ticket_id: String(survivor.id) })
    const added = notes.filter(({ added_by_service }) => added_by_service).map(({ text }) => text)
    expect(added).toEqual(expect.arrayContaining([expect.stringContaining('Fan replaced')]))
    expect((await admin.client.psa.tickets.getContext({ ticket_id: String(ticket.id) })).notes).toEqual([])
  })

  it('PSA-48 tells the model about the ticket that is left', async () => {
    const { admin, ticket, survivor } = await createScene()
    const session = await createAiSession(admin, { psa_ticket_id: String(ticket.id) })
    await clearRecords('ai')
    const body = { audience: 'ticket_notes', length: 'quick' }
    expectStatus(await admin.call('POST', `/ai-sessions/${session.id}/status-update`, body), 200)
    const [call] = await listRecords('ai')
    const prompt = JSON.stringify(call.request)
    const { custom_fields } = (await admin.client.psa.tickets.getContext({ ticket_id: String(survivor.id) }))
      .ticket
    expect([
      prompt.includes(survivor.description),
      custom_fields.every(({ value }) => prompt.includes(value)),
    ]).toEqual([true, true])
    expect(prompt).toContain(survivor.summary)
  })

  it('PSA-51 a change of a merged ticket is made at the ticket that is left', async () => {
    const { admin, ticket, survivor } = await createScene()
    const changed = await admin.client.psa.tickets.update({ ticket_id: String(ticket.id), member_id: '177' })
    const { ticket: read } = await admin.client.psa.tickets.getContext({ ticket_id: String(survivor.id) })
    expect([changed.id, changed.owner !== null]).toEqual([String(survivor.id), true])
    expect(read.owner).toBe(changed.owner)
  })

  it('PSA-52 schedules of a merged ticket go on for the ticket that is left, until that is closed', async () => {
    const { admin } = await createAccount(service)
    await connectPsa(service, admin, provider)
    const callbacks = await enableCallbacks(service, admin, provider)
    const [ticket, survivor] = [takeTicket(), takeTicket()]
    const stream = await openEscalationStream(service, admin)
    const { id } = await createSchedule(admin, { ticket_number: `#${ticket.id}` })
    const session = await createSession(admin, { ticket_number: String(ticket.id) })
    const read = () => admin.client.maintenance.schedules.get({ schedule_id: id })
    await mergeTicket(ticket.id, survivor.id)
    await callbacks.notify(String(ticket.id))
    await waitUntilSettled()
    expect(await read()).toMatchObject({ is_active: true, ticket_number: `#${survivor.id}` })
    await admin.client.psa.tickets.update({
      ticket_id: String(survivor.id),
      status_id: `${survivor.boardId}3`,
    })
    await callbacks.notify(String(survivor.id))
    await waitUntilSettled()
    expect(await read()).toMatchObject({ is_active: false, next_run_at: null })
    await expect.poll(() => stream.events().length).toBe(2)
    expect(stream.events().map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ ticket_id: String(ticket.id), merged_into: String(survivor.id), is_closed: true },
          sessions: [{ session_id: session.id, user_id: admin.id }],
        }),
        expect.objectContaining({
          ticket_id: String(survivor.id),
          merged_into: null,
          paused_schedule_ids: [id],
        }),
      ]),
    )
    stream.disconnect()
  })
})
