import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeFeedbackCases } from '#test/eval/from-feedback.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount } from '#test/support/people.ts'
import { chatTurn } from '#vendors/ai/prompts/diagnosis.ts'

const service = await sharedService()

async function createReply() {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner, { problem_summary: 'Reception cannot print.' })
  const { message } = await owner.client.ai.turns.sendMessage({
    session_id: session.id,
    message: 'The password is Winter2026!x',
  })
  return { account, owner, session, reply: message }
}

it('AIS-55 stores feedback on a reply with the prompt, its version and the model, once per person', async () => {
  const { account, owner, session, reply } = await createReply()
  const give = (person: typeof owner, body: object) =>
    person.call('PUT', `/ai-sessions/${session.id}/feedback`, {
      subject: 'reply',
      subject_id: reply.id,
      ...body,
    })
  const given = await give(owner, { helpful: false, correction: ' The queue was paused. ' })
  expectStatus(given, 200)
  expect(given.body).toMatchObject({
    ...{
      subject: 'reply',
      subject_id: reply.id,
      user_id: owner.id,
      helpful: false,
      correction: 'The queue was paused.',
    },
    ...{ prompt: 'chat_turn', prompt_version: chatTurn.version, model: service.settings.OPENAI_MODEL },
  })
  const changed = await give(owner, { helpful: true })
  expect(changed.body).toMatchObject({ id: given.body.id, helpful: true, correction: null })
  expect(await owner.client.ai.feedback.list({ session_id: session.id })).toEqual([changed.body])
  const [{ answer }] = (await service.sql('select answer from ai_feedback where id = $1', [
    given.body.id,
  ])) as [{ answer: string }]
  expect(answer).toBe(reply.content)
  // A colleague who does not see the session learns nothing of it.
  const stranger = await account.addColleague()
  expectStatus(await give(stranger, { helpful: true }), 404)
})

it('AIS-55 refuses feedback on what the model did not write in this session', async () => {
  const { owner, session } = await createReply()
  const other = await createReply()
  const detail = await owner.client.ai.sessions.get({ session_id: session.id })
  const question = detail.messages.find(({ role }) => role === 'user')
  for (const subject_id of [question?.id, other.reply.id, crypto.randomUUID()]) {
    const body = { subject: 'reply', subject_id, helpful: true }
    expectStatus(await owner.call('PUT', `/ai-sessions/${session.id}/feedback`, body), 404)
  }
})

it('AIS-55 keeps feedback on a fix, a step and an assessment apart', async () => {
  const { owner, session } = await createReply()
  const { id } = (
    await service.sql<{ id: string }>(
      `insert into ai_fixes (account_id, session_id, title, description, kind) values ($1, $2, 'Restart the spooler', 'Now.', 'manual') returning id`,
      [owner.accountId, session.id],
    )
  )[0] as { id: string }
  const body = { subject: 'fix', subject_id: id, helpful: true }
  expect((await owner.call('PUT', `/ai-sessions/${session.id}/feedback`, body)).body).toMatchObject({
    subject: 'fix',
    prompt: 'chat_turn',
  })
  for (const subject of ['reply', 'step', 'assessment'])
    expectStatus(await owner.call('PUT', `/ai-sessions/${session.id}/feedback`, { ...body, subject }), 404)
})

it('AIS-56 writes cases from feedback, masked, with what would have been right as a criterion', async () => {
  const { owner, session, reply } = await createReply()
  const correction = `The queue was paused, says ${owner.id}.`
  await owner.client.ai.feedback.set({
    session_id: session.id,
    subject: 'reply',
    subject_id: reply.id,
    helpful: false,
    correction,
  })
  const folder = await mkdtemp(join(tmpdir(), 'feedback-'))
  try {
    expect(await writeFeedbackCases(service.ownerUrl, folder)).toBeGreaterThan(0)
    const text = await readFile(join(folder, 'chat-turn.json'), 'utf8')
    const written = JSON.parse(text).find((one: { expect: { judge: string[] } }) =>
      one.expect.judge[0]?.includes(owner.id),
    )
    expect(written).toMatchObject({
      name: expect.stringMatching(new RegExp(`not helpful, chat_turn version ${chatTurn.version} of `)),
      facts: { session: { problem_summary: 'Reception cannot print.' } },
      turns: [{ role: 'user', text: expect.stringContaining('[masked') }],
    })
    expect(text).not.toContain('Winter2026')
  } finally {
    await rm(folder, { recursive: true })
  }
})
