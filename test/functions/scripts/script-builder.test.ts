import { expect, it } from 'vitest'
import { newAiSession } from '../../support/ai.ts'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, shared } from '../../support/app.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const standalone = { origin: 'standalone' }
const begin = (person: Person, about: object = standalone) => person.call('POST', '/script-builder/sessions', about)
const path = (id: string, rest = '') => `/script-builder/sessions/${id}${rest}`

it('SBD-01 takes standalone and pilot_inline as origin, and nothing else', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin)
  expectStatus(await begin(admin), 201)
  expectStatus(await begin(admin, { origin: 'pilot_inline', ai_session_id: id }), 201)
  expectStatus(await begin(admin, { origin: 'elsewhere' }), 422)
  expectStatus(await begin(admin, { ...standalone, ai_session_id: id }), 422)
})

it('SBD-02 refuses pilot_inline without an AI session, or with one that is not the caller’s', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  const { id } = await newAiSession(account.admin)
  expectStatus(await begin(colleague, { origin: 'pilot_inline' }), 422)
  expectStatus(await begin(colleague, { origin: 'pilot_inline', ai_session_id: id }), 404)
})

it('SBD-03 SBD-09 gives the same session beside an AI session, also to 32 who ask at once', async () => {
  const { admin } = await newAccount(service)
  const { id } = await newAiSession(admin)
  const answers = await Promise.all(Array.from({ length: 32 }, () => begin(admin, { origin: 'pilot_inline', ai_session_id: id })))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(31).fill(200), 201])
})

it('SBD-04 lists standalone sessions unless asked otherwise', async () => {
  const { admin } = await newAccount(service)
  const [alone, beside] = [
    (await begin(admin)).body.id,
    (await begin(admin, { origin: 'pilot_inline', ai_session_id: (await newAiSession(admin)).id })).body.id,
  ]
  const listed = async (query: string) =>
    (await admin.call('GET', `/script-builder/sessions${query}`)).body.map(({ id }: { id: string }) => id)
  expect(await listed('')).toEqual([alone])
  expect(await listed('?origin=pilot_inline')).toEqual([beside])
  expect(await listed('?origin=all')).toEqual([beside, alone])
})

it('SBD-05 SBD-08 holds a person to five, also when 32 are begun at once, and deleting one frees a place', async () => {
  const { admin, colleague } = await newAccount(service)
  const answers = await Promise.all(Array.from({ length: 32 }, () => begin(admin)))
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(5)
  for (const { status, body } of answers.filter((answer) => answer.status !== 201))
    expect([status, body.code]).toEqual([409, 'session_limit_reached'])
  expectStatus(await begin(await colleague()), 201)
  expectStatus(await admin.call('DELETE', path(made[2]?.body.id)), 204)
  expectStatus(await begin(admin), 201)
  expectStatus(await begin(admin), 409)
})

it('writes a script with its parameter, checked as the library would', async () => {
  const { admin } = await newAccount(service)
  const { id } = (await begin(admin)).body
  const { status, body } = await admin.call('POST', path(id, '/messages'), {
    message: 'Write a script that restarts Spooler on {{ host }}',
  })
  expect(status).toBe(200)
  expect(body.script).toContain("Restart-Service -Name 'Spooler'")
  expect(body.parameters_schema).toMatchObject([{ name: 'host', type: 'hostname' }])
  expect((await admin.call('GET', path(id))).body).toMatchObject({ script_body: body.script, message_count: 2 })
  const rambling = (await admin.call('POST', path(id, '/messages'), { message: 'Sing me a wibbly song' })).body
  expect(rambling.script).toBeUndefined()
  expect(rambling.message.content).toContain('wibbly')
})

it('SBD-07 saves the session’s script, or what is sent along in its place', async () => {
  const { admin } = await newAccount(service)
  const { id } = (await begin(admin)).body
  const save = (about: object) => admin.call('POST', path(id, '/save-to-library'), about)
  expectStatus(await save({ name: 'Nothing yet' }), 422)
  const { body } = await admin.call('POST', path(id, '/messages'), { message: 'Write a script that restarts {{ service }}' })
  expect((await save({ name: 'Restart' })).body).toMatchObject({ script_body: body.script, parameters_schema: [{ name: 'service' }] })
  const own = { script_body: 'Get-Service -Name {{ other }}', parameters_schema: [{ name: 'other', label: 'Other', type: 'string' }] }
  expect((await save({ name: 'Mine', ...own })).body).toMatchObject({
    script_body: own.script_body,
    parameters_schema: [{ name: 'other' }],
  })
  expectStatus(await save({ name: 'Unsafe', script_body: '{{ unknown }}' }), 422)
})

it('is its user’s alone', async () => {
  const account = await newAccount(service)
  const colleague = await account.colleague()
  const { id } = (await begin(account.admin)).body
  expectStatus(await colleague.call('GET', path(id)), 404)
  expectStatus(await colleague.call('POST', path(id, '/messages'), { message: 'x' }), 404)
  expectStatus(await colleague.call('DELETE', path(id)), 404)
})

it('SBD-06 sends the last 20 messages, and keeps what was said when the model fails', async () => {
  const own = await ownService()
  try {
    const { admin } = await newAccount(own)
    const { id } = (await begin(admin)).body
    await own.sql(
      `insert into script_builder_messages (account_id, session_id, role, content)
       select $1, $2, case n % 2 when 0 then 'user' else 'assistant' end, 'message number ' || n from generate_series(1, 30) n`,
      [admin.accountId, id],
    )
    await admin.call('POST', path(id, '/messages'), { message: 'Write a script that stops Spooler' })
    const [call] = (await (await fetch(`${own.local}/desk/ai`, { headers: { accept: 'application/json' } })).json()) as {
      request: { messages: { content: string }[] }
    }[]
    const said = call?.request.messages.slice(2).map(({ content }) => content) ?? []
    expect(said).toHaveLength(20)
    expect([said[0], said.at(-1)]).toEqual(['message number 12', 'Write a script that stops Spooler'])
    await desk(own).fault({ service: 'openai', mode: 'error' })
    const failed = await admin.call('POST', path(id, '/messages'), { message: 'And start it again' })
    expect([failed.status, failed.body.code]).toEqual([502, 'ai_provider_error'])
    expect((await admin.call('GET', path(id))).body.messages.at(-1)).toMatchObject({ role: 'user', content: 'And start it again' })
  } finally {
    await own.close()
  }
})
