import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService } from '#test/support/app.ts'
import { escalateSession, openEscalationStream } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const { listRecords } = dashboard(service)
const pollOptions = { timeout: 30_000 }
const pollFor = <T>(read: () => Promise<T | undefined>): Promise<T> =>
  expect
    .poll(read, pollOptions)
    .toBeDefined()
    .then(async () => (await read()) as T)

const outage = {
  urgency: 'critical',
  reason: 'Needs rights on the firewall.',
  summary: 'Every tunnel of the head office is down.',
  what_was_tried: '1. Restarted the firewall\n2. Rolled back the *update*',
  next_steps: 'Call the provider about circuit 77-A.',
}
const session = {
  problem_summary: 'All branch offices have lost their VPN since 09:40',
  psa_ticket_id: '4711',
  client_name: 'Contoso Dental',
}

/** Create an account whose escalations go to both chat tools, and return what each channel has received. */
async function createScene() {
  const account = await createAccount(service)
  const engineer = await account.addColleague()
  const path = `alert-${crypto.randomUUID()}`
  for (const tool of [1, 2]) {
    const webhook_url = `${service.localOrigin}/chat/${tool}/${path}`
    const config = { channel: `chat${tool}_webhook`, webhook_url, events_enabled: ['session.escalated'] }
    expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  }
  const findMessage = (tool: 1 | 2) =>
    pollFor(
      async () =>
        (await listRecords('chat')).find((call) => call.path === `/chat/${tool}/${path}` && call.accepted)
          ?.body,
    )
  return {
    account,
    engineer,
    readMail: () =>
      pollFor(async () => (await listRecords('mail')).find(({ to }) => to.includes(account.admin.email))),
    readBlocks: () => findMessage(1),
    readCard: async () => (await findMessage(2)).attachments[0].content,
    readInbox: async () =>
      (await account.admin.call('GET', '/notifications')).body.find(
        ({ event_key }: { event_key: string }) => event_key === 'session.escalated',
      ),
  }
}

const listTexts = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === 'string' ? (['text', 'value', 'title'].includes(key) ? [item] : []) : listTexts(item),
  )
}
const escalate = async (person: Person, fields: Record<string, unknown>, input: Record<string, unknown>) => {
  const { id } = await createAiSession(person, fields)
  const { body } = await escalateSession(person, id, input)
  return { id: id as string, body }
}

it('NOT-67 NOT-70 sends an e-mail with everything that the author wrote, and does not repeat its subject', async () => {
  const { engineer, readMail } = await createScene()
  const { id } = await escalate(engineer, session, outage)
  const { subject, text, html } = await readMail()
  expect(subject).toBe(`${engineer.fullName} escalated: ${session.problem_summary} (Ticket #4711)`)
  const link = `https://app.supportflow.example/pilot/${id}?pickup=true`
  expect(text.split('\n\n-- \n')[0]).toBe(
    [
      'Urgency: Critical\nClient: Contoso Dental\nTicket: #4711',
      `Summary\n${outage.summary}`,
      `Next steps\n${outage.next_steps}`,
      `Reason\n${outage.reason}`,
      `What was tried\n${outage.what_was_tried}`,
      `Pick up the session: ${link}`,
    ].join('\n\n'),
  )
  for (const shown of [
    'Critical',
    'Contoso Dental',
    '#4711',
    outage.summary,
    outage.next_steps,
    `href="${link}"`,
  ])
    expect(html).toContain(shown)
  expect(html.replace(/<title>.*<\/title>/, '')).not.toContain(session.problem_summary)
})

it('NOT-67 NOT-72 sends blocks with everything that the author wrote, literally, and a button', async () => {
  const { engineer, readBlocks } = await createScene()
  const { id } = await escalate(engineer, session, outage)
  const { blocks } = await readBlocks()
  const texts = listTexts(blocks)
  for (const shown of [
    'Critical',
    'Contoso Dental',
    '#4711',
    outage.summary,
    outage.reason,
    outage.what_was_tried,
    outage.next_steps,
  ])
    expect(texts).toContain(shown)
  const button = blocks.find(({ type }: { type: string }) => type === 'actions').elements[0]
  expect(button).toMatchObject({
    type: 'button',
    style: 'danger',
    url: `https://app.supportflow.example/pilot/${id}?pickup=true`,
  })
  const literal = blocks.flatMap(({ text }: { text?: { type: string; text: string } }) =>
    text?.text.includes('update') ? [text.type] : [],
  )
  expect(literal).toEqual(['plain_text'])
})

it('NOT-67 NOT-72 sends a card with everything that the author wrote, literally, and an action', async () => {
  const { engineer, readCard } = await createScene()
  const { id } = await escalate(engineer, session, outage)
  const card = await readCard()
  const texts = listTexts(card.body).map((text) => text.replace(/\\(.)/g, '$1').replaceAll('\n\n', '\n'))
  for (const shown of [
    'Critical',
    'Contoso Dental',
    '#4711',
    outage.summary,
    outage.reason,
    outage.what_was_tried,
    outage.next_steps,
  ])
    expect(texts).toContain(shown)
  expect(JSON.stringify(card)).not.toContain(' *update*')
  expect(card.actions).toEqual([
    {
      type: 'Action.OpenUrl',
      title: 'Pick up the session',
      url: `https://app.supportflow.example/pilot/${id}?pickup=true`,
    },
  ])
})

it('NOT-68 shows the same fields in the app and in the stream, and cuts long texts', async () => {
  const { account, engineer, readInbox } = await createScene()
  const stream = await openEscalationStream(service, account.admin)
  const { body } = await escalate(engineer, session, { ...outage, what_was_tried: 'x'.repeat(20_000) })
  const what_was_tried = `${'x'.repeat(1999)}…`
  const expected = {
    handoff_id: body.handoff_id,
    ...outage,
    what_was_tried,
    client_name: 'Contoso Dental',
    psa_ticket_id: '4711',
  }
  expect((await readInbox()).escalation).toEqual(expected)
  await expect
    .poll(() => stream.events('handoff_created').map(({ data }) => data), pollOptions)
    .toMatchObject([expected])
  stream.disconnect()
})

it('NOT-69 NOT-28 shows the summary of an escalation without a problem, else the first message', async () => {
  const { engineer, readInbox } = await createScene()
  const withoutProblem = { problem_summary: undefined }
  await escalate(engineer, withoutProblem, { summary: 'The file server is encrypted.' })
  expect((await readInbox()).title).toBe(`${engineer.fullName} escalated: The file server is encrypted.`)
  const scene = await createScene()
  const { id } = await createAiSession(scene.engineer, withoutProblem)
  expectStatus(
    await scene.engineer.call('POST', `/ai-sessions/${id}/chat`, {
      message: 'Hello,\nthe scanner sends blank pages',
    }),
    200,
  )
  await escalateSession(scene.engineer, id)
  expect((await scene.readInbox()).title).toBe(
    `${scene.engineer.fullName} escalated: Hello, the scanner sends blank pages`,
  )
})

it('AIS-41 gives a session without a problem its first message as title, and keeps it', async () => {
  const { engineer } = await createScene()
  const { id, title } = await createAiSession(engineer, { problem_summary: undefined })
  expect(title).toBe('New chat session')
  for (const message of ['Hello,\nthe scanner sends blank pages', 'It is a Canon'])
    expectStatus(await engineer.call('POST', `/ai-sessions/${id}/chat`, { message }), 200)
  expect((await engineer.call('GET', `/ai-sessions/${id}`)).body.title).toBe(
    'Hello, the scanner sends blank pages',
  )
})

it('AUD-02 masks the alert of an account that masks its exports, in every channel', async () => {
  const { account, engineer, readMail, readBlocks, readCard, readInbox } = await createScene()
  expectStatus(await account.admin.call('PATCH', '/accounts/me/preferences', { mask_exports: true }), 200)
  const stream = await openEscalationStream(service, account.admin)
  const secret = 'Winter2026!'
  await escalate(
    engineer,
    { problem_summary: `Login fails, password: ${secret}` },
    {
      summary: `The password is ${secret} on 10.1.2.3`,
      what_was_tried: `net use \\\\srv\\c$ /user:x password: ${secret}`,
    },
  )
  await expect.poll(() => stream.events('handoff_created').length, pollOptions).toBe(1)
  stream.disconnect()
  const received = [
    await readMail(),
    await readBlocks(),
    await readCard(),
    await readInbox(),
    stream.text(),
  ].map((part) => JSON.stringify(part))
  for (const part of received) for (const hidden of [secret, '10.1.2.3']) expect(part).not.toContain(hidden)
})

it('HND-26 counts 2 people who are notified, not their e-mails nor the 3 channels', async () => {
  const { account, engineer } = await createScene()
  const target = await account.addColleague()
  const config = {
    channel: 'email',
    email_addresses: ['oncall@strangers.example'],
    events_enabled: ['session.escalated'],
  }
  expectStatus(await account.admin.call('POST', '/notifications/configs', config), 201)
  expect((await escalate(engineer, session, { target_user_id: target.id })).body.notified).toBe(2)
})
