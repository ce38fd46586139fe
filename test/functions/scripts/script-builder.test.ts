import { expect, it } from 'vitest'
import { createAiSession } from '#test/support/ai.ts'
import { dashboard, sharedService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const standalone = { origin: 'standalone' }
const startSession = (person: Person, body: object = standalone) =>
  person.call('POST', '/script-builder/sessions', body)
const sessionPath = (id: string, suffix = '') => `/script-builder/sessions/${id}${suffix}`

it('SBD-01 accepts only the origins standalone and pilot_inline', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  expectStatus(await startSession(admin), 201)
  expectStatus(await startSession(admin, { origin: 'pilot_inline', ai_session_id: id }), 201)
  expectStatus(await startSession(admin, { origin: 'elsewhere' }), 422)
  expectStatus(await startSession(admin, { ...standalone, ai_session_id: id }), 422)
})

it('SBD-01 gives a session the title of the request, of its AI session, or a general one', async () => {
  const { admin } = await createAccount(service)
  const { id: ai_session_id, title } = await createAiSession(admin)
  const { id: otherId } = await createAiSession(admin)
  const inline = { origin: 'pilot_inline', ai_session_id }
  const readTitle = async (body: object) => expectStatus(await startSession(admin, body), 201).body.title
  expect([
    await readTitle(standalone),
    await readTitle({ ...standalone, title: 'Restart' }),
    await readTitle(inline),
    await readTitle({ ...inline, ai_session_id: otherId, title: 'Restart' }),
  ]).toEqual(['New script', 'Restart', title, 'Restart'])
})

it('SBD-02 rejects pilot_inline without an AI session of the caller', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const { id } = await createAiSession(account.admin)
  expectStatus(await startSession(colleague, { origin: 'pilot_inline' }), 422)
  expectStatus(await startSession(colleague, { origin: 'pilot_inline', ai_session_id: id }), 404)
})

it('SBD-03 SBD-09 creates one script builder session per AI session, also for 32 simultaneous requests', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createAiSession(admin)
  const responses = await Promise.all(
    Array.from({ length: 32 }, () => startSession(admin, { origin: 'pilot_inline', ai_session_id: id })),
  )
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(31).fill(200), 201])
})

it('SBD-04 lists standalone sessions by default, and other origins on request', async () => {
  const { admin } = await createAccount(service)
  const [standaloneId, inlineId] = [
    (await startSession(admin)).body.id,
    (await startSession(admin, { origin: 'pilot_inline', ai_session_id: (await createAiSession(admin)).id }))
      .body.id,
  ]
  const listIds = async (query: string) =>
    (await admin.call('GET', `/script-builder/sessions${query}`)).body.map(({ id }: { id: string }) => id)
  expect(await listIds('')).toEqual([standaloneId])
  expect(await listIds('?origin=pilot_inline')).toEqual([inlineId])
  expect(await listIds('?origin=all')).toEqual([inlineId, standaloneId])
})

it('SBD-05 SBD-08 allows five sessions per user, also with 32 simultaneous requests, and one more after a deletion', async () => {
  const { admin, addColleague } = await createAccount(service)
  const responses = await Promise.all(Array.from({ length: 32 }, () => startSession(admin)))
  const created = responses.filter(({ status }) => status === 201)
  expect(created).toHaveLength(5)
  for (const { status, body } of responses.filter(({ status }) => status !== 201))
    expect([status, body.code]).toEqual([409, 'session_limit_reached'])
  expectStatus(await startSession(await addColleague()), 201)
  expectStatus(await admin.call('DELETE', sessionPath(created[2]?.body.id)), 204)
  expectStatus(await startSession(admin), 201)
  expectStatus(await startSession(admin), 409)
})

it('returns a script with its parameters, and no script when the message asks for none', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startSession(admin)).body
  const { status, body } = await admin.call('POST', sessionPath(id, '/messages'), {
    message: 'Write a script that restarts Spooler on {{ host }}',
  })
  expect(status).toBe(200)
  expect(body.script).toContain("Restart-Service -Name 'Spooler'")
  expect(body.parameters_schema).toMatchObject([{ name: 'host', type: 'hostname' }])
  expect((await admin.call('GET', sessionPath(id))).body).toMatchObject({
    script_body: body.script,
    message_count: 2,
  })
  const unrelated = (
    await admin.call('POST', sessionPath(id, '/messages'), { message: 'Sing me a wibbly song' })
  ).body
  expect(unrelated.script).toBeUndefined()
  expect(unrelated.message.content).toContain('wibbly')
})

it('SBD-07 saves the script of the session or the script in the body', async () => {
  const { admin } = await createAccount(service)
  const { id } = (await startSession(admin)).body
  const save = (body: object) => admin.call('POST', sessionPath(id, '/save-to-library'), body)
  expectStatus(await save({ name: 'Nothing yet' }), 422)
  const { body } = await admin.call('POST', sessionPath(id, '/messages'), {
    message: 'Write a script that restarts {{ service }}',
  })
  expect((await save({ name: 'Restart' })).body).toMatchObject({
    script_body: body.script,
    parameters_schema: [{ name: 'service' }],
  })
  const changes = {
    script_body: 'Get-Service -Name {{ other }}',
    parameters_schema: [{ name: 'other', label: 'Other', type: 'string' }],
  }
  expect((await save({ name: 'Mine', ...changes })).body).toMatchObject({
    script_body: changes.script_body,
    parameters_schema: [{ name: 'other' }],
  })
  expectStatus(await save({ name: 'Unsafe', script_body: '{{ unknown }}' }), 422)
})

it('returns 404 for a session of another user', async () => {
  const account = await createAccount(service)
  const colleague = await account.addColleague()
  const { id } = (await startSession(account.admin)).body
  expectStatus(await colleague.call('GET', sessionPath(id)), 404)
  expectStatus(await colleague.call('POST', sessionPath(id, '/messages'), { message: 'x' }), 404)
  expectStatus(await colleague.call('DELETE', sessionPath(id)), 404)
})

it('SBD-06 sends the last 20 messages to the model, and stores the user’s message when the model fails', async () => {
  const ownService = await startOwnService()
  try {
    const { admin } = await createAccount(ownService)
    const { id } = (await startSession(admin)).body
    await ownService.sql(
      `insert into script_builder_messages (account_id, session_id, role, content)
       select $1, $2, case n % 2 when 0 then 'user' else 'assistant' end, 'message number ' || n from generate_series(1, 30) n`,
      [admin.accountId, id],
    )
    await admin.call('POST', sessionPath(id, '/messages'), { message: 'Write a script that stops Spooler' })
    const [call] = (await (
      await fetch(`${ownService.localOrigin}/desk/ai`, { headers: { accept: 'application/json' } })
    ).json()) as {
      request: { messages: { content: string }[] }
    }[]
    const sentTexts = call?.request.messages.slice(2, -1).map(({ content }) => content) ?? []
    expect(sentTexts).toHaveLength(20)
    expect([sentTexts[0], sentTexts.at(-1)]).toEqual([
      'message number 12',
      'Write a script that stops Spooler',
    ])
    await dashboard(ownService).setFault({ service: 'openai', mode: 'error' })
    const failed = await admin.call('POST', sessionPath(id, '/messages'), { message: 'And start it again' })
    expect([failed.status, failed.body.code]).toEqual([502, 'ai_provider_error'])
    expect((await admin.call('GET', sessionPath(id))).body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: 'And start it again',
    })
  } finally {
    await ownService.close()
  }
})
