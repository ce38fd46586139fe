import { expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, shared } from '../../support/app.ts'
import { listen } from '../../support/escalations.ts'
import { picture, upload } from '../../support/images.ts'
import { newAccount } from '../../support/people.ts'
import { connect } from '../../support/psa.ts'

const service = shared()

it('a ticket goes from the first question through an escalation to its end, and everybody hears what they must', async () => {
  const account = await newAccount(service)
  const { admin } = account
  const [first, second] = [await account.colleague(), await account.colleague()]
  const robin = await account.colleague()
  await connect(service, admin)
  const ticket = (await robin.call('GET', '/integrations/psa/tickets?unassigned=true')).body.items[0]
  const webhook = { channel: 'chat1_webhook', webhook_url: `${service.local}/chat/1/${account.id}`, events_enabled: ['session.escalated'] }
  expectStatus(await admin.call('POST', '/notifications/configs', webhook), 201)

  const session = await newAiSession(robin, { problem_summary: undefined, psa_ticket_id: ticket.id })
  expect(session).toMatchObject({ client_name: ticket.company, problem_summary: ticket.summary })
  const at = `/ai-sessions/${session.id}`
  const shot = (await upload(service, robin, await picture('png', 40, 30))).body.id
  const said = 'Printer PRN-2F-03 shows offline for everybody, error 0x00000bcb. Please suggest a fix.'
  const turn = (await robin.call('POST', `${at}/chat`, { message: said, upload_ids: [shot] })).body
  expect(turn.triage_update).toMatchObject({ asset_name: 'PRN-2F-03', issue_category: 'Printing' })
  const fix = `${at}/suggested-fixes/${turn.suggested_fix.id}`
  expect((await robin.call('POST', `${fix}/apply`)).body.applied_at).not.toBeNull()
  const partly = await robin.call('PATCH', `${fix}/outcome`, { outcome: 'applied_partial', notes: 'Two of five users can print' })
  expect(partly.body.status).toBe('applied_partial')

  const stream = await listen(service, first)
  const handed = { target_user_id: first.id, summary: 'Spooler dies', what_was_tried: 'New port', next_steps: 'Driver', urgency: 'high' }
  const closed = (await robin.call('POST', `${at}/escalate`, handed)).body
  expect(closed).toMatchObject({ status: 'escalated', psa_push: 'queued' })
  await expect.poll(() => stream.events('handoff_created').length, { timeout: 10_000 }).toBe(1)
  const event = stream.events('handoff_created')[0]?.data
  stream.leave()
  expect(event).toMatchObject({
    session_id: session.id,
    handoff_id: closed.handoff_id,
    psa_ticket_id: ticket.id,
    target_user_id: first.id,
  })
  const mails = async () => (await desk(service).read('mail')).flatMap(({ to, subject }) => (subject.includes('escalated') ? to : []))
  await expect.poll(mails, { timeout: 15_000 }).toEqual(expect.arrayContaining([admin.email, first.email]))
  expect(await mails()).not.toContain(robin.email)
  const chats = async () => (await desk(service).read('chat')).filter(({ path }) => path.includes(account.id)).length
  await expect.poll(chats, { timeout: 15_000 }).toBe(1)
  const [inbox] = (await first.call('GET', '/notifications')).body
  expect(inbox).toMatchObject({ event_key: 'session.escalated', link: `/pilot/${session.id}?pickup=true` })
  const pushes = async () => (await robin.call('GET', `/integrations/psa/pushes?source_id=${session.id}`)).body
  await expect.poll(async () => (await pushes())[0]?.state, { timeout: 15_000 }).toBe('pushed')
  const notes = (await robin.call('GET', `/integrations/psa/tickets/${ticket.id}/context`)).body.notes
  expect(notes.some(({ text }: { text: string }) => text.includes('Two of five users can print'))).toBe(true)

  const claims = await Promise.all([first, second].map((person) => person.call('POST', `${at}/handoffs/${closed.handoff_id}/claim`)))
  expect(claims.map(({ status }) => status).sort()).toEqual([200, 409])
  const [winner, loser] = claims[0]?.status === 200 ? [first, second] : [second, first]
  const lost = claims.find(({ status }) => status === 409)
  expect(lost?.body.winner).toEqual({ id: winner.id, name: winner.fullName })
  expectStatus(await loser.call('GET', at), loser === first ? 200 : 404)
  expectStatus(await winner.call('POST', `${at}/pickup`), 200)
  const taken = (await winner.call('GET', at)).body
  expect(taken).toMatchObject({ status: 'active', picked_up_by_id: winner.id, escalation_package: { what_was_tried: 'New port' } })
  expect(taken.suggested_fixes).toMatchObject([{ status: 'applied_partial', partial_notes: 'Two of five users can print' }])
  expect(taken.messages[0]).toMatchObject({ content: said, upload_ids: [shot] })
  expectStatus(await winner.call('POST', `${at}/chat`, { message: 'New driver installed, all print now.' }), 200)

  const output = await winner.call('POST', `${at}/outputs`, { kind: 'resolution_summary' })
  expectStatus(output, 201)
  expect((await winner.call('POST', `${at}/resolve`, { outcome: 'resolved', notes: 'New driver' })).body.status).toBe('resolved')
  expectStatus(await winner.call('POST', `${at}/outputs/${output.body.id}/push`), 200)
  const figures = (await admin.call('GET', '/analytics/flowpilot/escalations?period=7d')).body
  expect(figures).toMatchObject({ n_handoffs_claimed: 1, n_handoffs_with_action: 1 })
  expect(figures.avg_seconds).toBeGreaterThanOrEqual(0)
}, 60_000)
