// @module-tag journey
import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'

const service = await sharedService()

it('takes a ticket from the first question through an escalation to its resolution, and notifies everyone involved', async () => {
  const account = await createAccount(service)
  const { admin } = account
  const [firstEngineer, secondEngineer] = [await account.addColleague(), await account.addColleague()]
  const owner = await account.addColleague()
  await connectPsa(service, admin)
  const { items } = (await owner.call('GET', '/integrations/psa/tickets?text=printer')).body
  const ticket = items.find(({ summary }: { summary: string }) => /printer/i.test(summary))
  const webhook = {
    channel: 'chat1_webhook',
    webhook_url: `${service.localOrigin}/chat/1/${account.id}`,
    events_enabled: ['session.escalated'],
  }
  expectStatus(await admin.call('POST', '/notifications/configs', webhook), 201)

  const session = await createAiSession(owner, { problem_summary: undefined, psa_ticket_id: ticket.id })
  expect(session).toMatchObject({ client_name: ticket.company, problem_summary: ticket.summary })
  const sessionPath = `/ai-sessions/${session.id}`
  const imageId = (await uploadImage(service, owner, await createImage('png', 40, 30))).body.id
  const message = 'Printer PRN-2F-03 shows offline for everybody, error 0x00000bcb. Please suggest a fix.'
  const turn = (await owner.call('POST', `${sessionPath}/chat`, { message, upload_ids: [imageId] })).body
  expect(turn.triage_update).toMatchObject({ asset_name: 'PRN-2F-03', issue_category: 'Printing' })
  const fixPath = `${sessionPath}/suggested-fixes/${turn.suggested_fix.id}`
  expect((await owner.call('POST', `${fixPath}/apply`)).body.applied_at).not.toBeNull()
  const partial = await owner.call('PATCH', `${fixPath}/outcome`, {
    outcome: 'applied_partial',
    notes: 'Two of five users can print',
  })
  expect(partial.body.status).toBe('applied_partial')

  const stream = await openEscalationStream(service, firstEngineer)
  const handoff = {
    target_user_id: firstEngineer.id,
    summary: 'Spooler dies',
    what_was_tried: 'New port',
    next_steps: 'Driver',
    urgency: 'high',
  }
  const escalation = (await owner.call('POST', `${sessionPath}/escalate`, handoff)).body
  expect(escalation).toMatchObject({ status: 'escalated', psa_push: 'queued' })
  await expect.poll(() => stream.events('handoff_created').length, { timeout: 30_000 }).toBe(1)
  const event = stream.events('handoff_created')[0]?.data
  stream.disconnect()
  expect(event).toMatchObject({
    session_id: session.id,
    handoff_id: escalation.handoff_id,
    psa_ticket_id: ticket.id,
    target_user_id: firstEngineer.id,
  })
  const listRecipients = async () =>
    (await dashboard(service).listRecords('mail')).flatMap(({ to, subject }) =>
      subject.includes('escalated') ? to : [],
    )
  await expect
    .poll(listRecipients, { timeout: 30_000 })
    .toEqual(expect.arrayContaining([admin.email, firstEngineer.email]))
  expect(await listRecipients()).not.toContain(owner.email)
  const countChatMessages = async () =>
    (await dashboard(service).listRecords('chat')).filter(({ path }) => path.includes(account.id)).length
  await expect.poll(countChatMessages, { timeout: 30_000 }).toBe(1)
  const [inbox] = (await firstEngineer.call('GET', '/notifications')).body
  expect(inbox).toMatchObject({ event_key: 'session.escalated', link: `/pilot/${session.id}?pickup=true` })
  const listPushes = async () =>
    (await owner.call('GET', `/integrations/psa/pushes?source_id=${session.id}`)).body
  await expect.poll(async () => (await listPushes())[0]?.state, { timeout: 30_000 }).toBe('pushed')
  const notes = (await owner.call('GET', `/integrations/psa/tickets/${ticket.id}/context`)).body.notes
  expect(notes.some(({ text }: { text: string }) => text.includes('Two of five users can print'))).toBe(true)

  const claims = await Promise.all(
    [firstEngineer, secondEngineer].map((person) =>
      person.call('POST', `${sessionPath}/handoffs/${escalation.handoff_id}/claim`),
    ),
  )
  expect(claims.map(({ status }) => status).sort()).toEqual([200, 409])
  const [winner, loser] =
    claims[0]?.status === 200 ? [firstEngineer, secondEngineer] : [secondEngineer, firstEngineer]
  const lostClaim = claims.find(({ status }) => status === 409)
  expect(lostClaim?.body.winner).toEqual({ id: winner.id, name: winner.fullName })
  expectStatus(await loser.call('GET', sessionPath), loser === firstEngineer ? 200 : 404)
  expectStatus(await winner.call('POST', `${sessionPath}/pickup`), 200)
  const pickedUp = (await winner.call('GET', sessionPath)).body
  expect(pickedUp).toMatchObject({
    status: 'active',
    picked_up_by_id: winner.id,
    escalation_package: { what_was_tried: 'New port' },
  })
  expect(pickedUp.suggested_fixes).toMatchObject([
    { status: 'applied_partial', partial_notes: 'Two of five users can print' },
  ])
  expect(pickedUp.messages[0]).toMatchObject({ content: message, upload_ids: [imageId] })
  expectStatus(
    await winner.call('POST', `${sessionPath}/chat`, { message: 'New driver installed, all print now.' }),
    200,
  )

  const output = await winner.call('POST', `${sessionPath}/outputs`, { kind: 'resolution_summary' })
  expectStatus(output, 201)
  expect(
    (
      await winner.call('POST', `${sessionPath}/resolve`, {
        outcome: 'resolved',
        notes: 'New driver',
        accept_proposals: true,
      })
    ).body.status,
  ).toBe('resolved')
  expectStatus(await winner.call('POST', `${sessionPath}/outputs/${output.body.id}/push`), 200)
  const metrics = (await admin.call('GET', '/analytics/flowpilot/escalations?period=7d')).body
  expect(metrics).toMatchObject({ n_handoffs_claimed: 1, n_handoffs_with_action: 1 })
  expect(metrics.avg_seconds).toBeGreaterThanOrEqual(0)
})
