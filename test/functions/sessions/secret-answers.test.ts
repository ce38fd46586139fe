import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { textFormats } from '#test/support/exports.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { connectPsa } from '#test/support/psa.ts'
import { createSession } from '#test/support/sessions.ts'
import { openAnswers } from '#vendors/auth/sealed-answers.ts'
import { createVault } from '#vendors/auth/vault.ts'

let service: Awaited<ReturnType<typeof startOwnService>>
beforeAll(async () => {
  service = await startOwnService()
})
afterAll(() => service.close())

const intake_form = [
  { key: 'server', label: 'Server', type: 'text', required: true },
  { key: 'admin_password', label: 'Admin password', type: 'text', required: true, secret: true, min: 8 },
  { key: 'note', label: 'Note', type: 'textarea', secret: true },
]
const tree_structure = {
  steps: [
    {
      id: 's0',
      type: 'procedure_step',
      title: 'Sign in to {{server}} with {{admin_password}}',
      description: 'Enter `{{admin_password}}`.',
    },
    { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
  ],
}
const flowFields = { tree_type: 'procedural', tree_structure, intake_form }
/** Return a secret that occurs nowhere else, and that masking would not recognise by its form. */
const createSecret = () =>
  `lantern-${crypto.randomUUID().replace(/[\d-]/g, (char) => 'ghijklmnop'[Number(char)] ?? 'q')}`
const answered = { secret: true, set: true }
const unanswered = { secret: true, set: false }

async function createScene(variables: Record<string, unknown> = {}) {
  const { admin, addColleague } = await createAccount(service)
  const secret = createSecret()
  const fields = {
    ticket_number: '#4711',
    variables: { server: 'srv-dc-01', admin_password: secret, ...variables },
  }
  const session = await createSession(admin, fields, flowFields)
  return { admin, addColleague, secret, session }
}

/** Return the tables of the database that contain the text. */
async function findTables(text: string): Promise<string[]> {
  const tables = await service.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await service.sql<{ found: boolean }>(
        `select exists (select from ${name} t where strpos(t::text, '${text}') > 0) as found`,
      )
      return row?.found ? [name] : []
    }),
  )
  return counts.flat()
}

/** Return which records of the emulators, and whether the log, contain the text. */
async function findRecords(text: string): Promise<string[]> {
  const { listRecords } = dashboard(service)
  const services = ['mail', 'chat', 'queue', 'analytics', 'redirect', 'psa', 'ai'] as const
  const records = await Promise.all(
    services.map(async (name) => [name, JSON.stringify(await listRecords(name))] as const),
  )
  return [...records, ['log', service.log.join('\n')] as const]
    .filter(([, content]) => content.includes(text))
    .map(([name]) => name)
}

describe('a secret answer', () => {
  it('SES-42 stays out of every table, response, export, note, message, model request and log', async () => {
    const { admin, addColleague, secret, session } = await createScene()
    await connectPsa(service, admin)
    await addColleague()
    await admin.call('POST', '/notifications/configs', {
      channel: 'chat1_webhook',
      webhook_url: `${service.localOrigin}/chat/1/secrets`,
    })
    const path = `/sessions/${session.id}`
    const newSecret = createSecret()
    const texts: string[] = [JSON.stringify(session)]
    const call = async (method: string, to: string, body?: unknown) => {
      const response = await admin.call(method, to, body)
      texts.push(response.text)
      return response
    }
    const visible = createSecret()
    await call('PATCH', path, { notes: visible })
    await call('PATCH', `${path}/variables`, { admin_password: newSecret })
    await call('PATCH', `${path}/variables`, { admin_password: 'short' })
    await call('GET', path)
    await call('GET', '/sessions?ticket_number=4711')
    await call('GET', `/sessions?client_name=${newSecret}`)
    expectStatus(await call('POST', `${path}/decisions`, { step_id: 's0', outcome: 'done' }), 201)
    expectStatus(await call('POST', `${path}/complete`, { outcome: 'resolved' }), 200)
    for (const format of [...textFormats, 'pdf'])
      for (const mask of ['true', 'false'])
        texts.push((await admin.call('GET', `${path}/export?format=${format}&mask=${mask}`)).text)
    expectStatus(await call('POST', `${path}/push`, { internal: true }), 202)
    await call('POST', `${path}/save-as-tree`, { name: 'Sign in' })
    expectStatus(await call('POST', `${path}/convert-to-flow`, {}), 201)
    const aiSession = (
      await call('POST', '/ai-sessions', {
        session_type: 'chat',
        problem_summary: 'Sign in to srv-dc-01',
        psa_ticket_id: '4711',
      })
    ).body
    expectStatus(await call('POST', `/ai-sessions/${aiSession.id}/chat`, { message: 'What now?' }), 200)
    await call('POST', `/ai-sessions/${aiSession.id}/escalate`, { summary: 'Cannot sign in' })
    await call('GET', '/accounts/me/audit-logs')
    await call('GET', '/notifications')
    await service.stack.localServer.qstash.waitUntilSettled()
    // What is not secret is found in these places, so the search would find a secret there too.
    expect(await findRecords(visible)).toEqual(expect.arrayContaining(['psa', 'ai']))
    expect(await findTables(visible)).toEqual(
      expect.arrayContaining(['public.sessions', 'public.psa_pushes']),
    )
    for (const text of [secret, newSecret]) {
      expect(texts.filter((response) => response.includes(text))).toEqual([])
      expect([await findTables(text), await findRecords(text)]).toEqual([[], []])
    }
    expect(texts.join('')).toContain('Sign in to srv-dc-01 with [secret]')
  })

  it('SES-42 is shown by reads and exports only as set', async () => {
    const { admin, session } = await createScene()
    expect(session.variables).toEqual({ server: 'srv-dc-01', admin_password: answered, note: unanswered })
    expect(session.current_step).toMatchObject({
      title: 'Sign in to srv-dc-01 with [secret]',
      description: 'Enter `[secret]`.',
    })
    const { text } = await admin.call('GET', `/sessions/${session.id}/export?format=ticket-note&mask=false`)
    expect(text).toContain('Server: srv-dc-01\nAdmin password: [secret]')
  })

  it('SES-43 is required to start, and its format is checked without repeating it', async () => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin, flowFields)
    const missing = await admin.call('POST', '/sessions', { tree_id, variables: { server: 'a' } })
    expect([missing.status, missing.body.errors?.[0]?.loc ?? missing.body.detail?.[0]?.loc]).toEqual([
      422,
      ['body', 'variables', 'admin_password'],
    ])
    const tooShort = await admin.call('POST', '/sessions', {
      tree_id,
      variables: { server: 'a', admin_password: 'Zq7-abc' },
    })
    expectStatus(tooShort, 422)
    expect(tooShort.text).not.toContain('Zq7-abc')
  })

  it('SES-43 entered when a session was prepared is kept when it starts, and can be replaced', async () => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin, flowFields)
    const prepared = (
      await admin.call('POST', '/sessions/prepare', {
        tree_id,
        variables: { server: 'a', admin_password: createSecret() },
      })
    ).body
    expect(prepared.variables.admin_password).toEqual(answered)
    expectStatus(
      await admin.call('POST', `/sessions/${prepared.id}/start`, { variables: prepared.variables }),
      200,
    )
    const withoutSecret = (
      await admin.call('POST', '/sessions/prepare', { tree_id, variables: { server: 'a' } })
    ).body
    expectStatus(await admin.call('POST', `/sessions/${withoutSecret.id}/start`, {}), 422)
    const started = await admin.call('POST', `/sessions/${withoutSecret.id}/start`, {
      variables: { admin_password: createSecret() },
    })
    expect([started.status, started.body.variables.admin_password]).toEqual([200, answered])
  })

  it('SES-43 is kept when it is sent back as read, and removed by null unless it is required', async () => {
    const { admin, session } = await createScene({ note: createSecret() })
    const path = `/sessions/${session.id}/variables`
    expect((await admin.call('PATCH', path, { ...session.variables, server: 'b' })).body).toEqual({
      server: 'b',
      admin_password: answered,
      note: answered,
    })
    expectStatus(await admin.call('PATCH', path, { admin_password: null }), 422)
    expect((await admin.call('PATCH', path, { note: null })).body).toMatchObject({
      admin_password: answered,
      note: unanswered,
    })
  })

  it('SES-43 sent with the same Idempotency-Key is stored once', async () => {
    const { admin } = await createAccount(service)
    const { id: tree_id } = await createFlow(admin, flowFields)
    const secret = createSecret()
    const start = () =>
      admin.call(
        'POST',
        '/sessions',
        { tree_id, variables: { server: 'a', admin_password: secret } },
        { 'idempotency-key': secret.slice(-8) },
      )
    const [first, second] = [await start(), await start()]
    expect([first.status, second.body.id]).toEqual([201, first.body.id])
    expect(await findTables(secret)).toEqual([])
  })

  it('SES-42 can be opened with the key that sealed it after a newer key was added, and only for its session and field', async () => {
    const { secret, session } = await createScene()
    const [row] = await service.sql<{ secrets: Record<string, string> }>(
      'select secret_variables as secrets from sessions where id = $1',
      [session.id],
    )
    const keys = JSON.parse(service.settings.CREDENTIALS_KEY ?? '[]')
    const rotated = createVault([{ version: 99, key: btoa('k'.repeat(32)) }, ...keys])
    const sealed = row?.secrets.admin_password ?? ''
    expect(await openAnswers(rotated, session.id, { admin_password: sealed })).toEqual({
      admin_password: secret,
    })
    await expect(openAnswers(rotated, session.id, { note: sealed })).rejects.toThrow()
    await expect(openAnswers(rotated, crypto.randomUUID(), { admin_password: sealed })).rejects.toThrow()
  })
})

describe('a script for a session', () => {
  const createScript = async (person: Person) =>
    (
      await person.call('POST', '/script-templates', {
        name: 'Sign in',
        language: 'powershell',
        script_body: 'Connect-Server -Name {{ server }} -Password {{ admin_password }} -Site {{ site }}',
        parameters_schema: [
          { name: 'server', label: 'Server', type: 'string', required: true },
          { name: 'admin_password', label: 'Admin password', type: 'password', required: true },
          { name: 'site', label: 'Site', type: 'string', required: true },
        ],
      })
    ).body.id

  it('SES-44 contains the answers of the session, and values in the request win', async () => {
    const { admin, secret, session } = await createScene()
    const path = `/script-templates/${await createScript(admin)}/generate`
    const { status, body } = await admin.call('POST', path, {
      session_id: session.id,
      parameters: { site: 'North', server: 'srv-2' },
    })
    expect([status, body.script]).toEqual([
      200,
      `Connect-Server -Name 'srv-2' -Password '${secret}' -Site 'North'`,
    ])
    expect(body.warnings).toContain(
      'The script contains Admin password as plain text; do not store the script',
    )
  })

  it('SES-44 is refused to a colleague who may not change the session, and for an unknown session', async () => {
    const { admin, addColleague, session } = await createScene()
    const colleague = await addColleague()
    const path = `/script-templates/${await createScript(colleague)}/generate`
    const parameters = { site: 'North' }
    expectStatus(await colleague.call('POST', path, { session_id: session.id, parameters }), 403)
    expectStatus(await colleague.call('POST', path, { session_id: crypto.randomUUID(), parameters }), 422)
    const other = await createAccount(service)
    expectStatus(
      await other.admin.call('POST', `/script-templates/${await createScript(other.admin)}/generate`, {
        session_id: session.id,
        parameters,
      }),
      422,
    )
    expect(admin.id).not.toBe(colleague.id)
  })
})

describe('a secret field of a flow', () => {
  it('FLO-60 keeps its declaration in a version, a fork, an export and markdown', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin, flowFields)
    const secretKeys = (form: { key: string; secret?: boolean }[]) =>
      form.filter(({ secret }) => secret).map(({ key }) => key)
    const fork = (await admin.call('POST', `/trees/${flow.id}/fork`, {})).body
    const exported = JSON.parse((await admin.call('GET', `/trees/${flow.id}/export`)).text)
    const markdown = (await admin.call('GET', `/trees/${flow.id}/export/markdown`)).text
    expect([secretKeys(flow.intake_form), secretKeys(fork.intake_form)]).toEqual([
      ['admin_password', 'note'],
      ['admin_password', 'note'],
    ])
    expect(JSON.stringify(exported)).toContain('"secret":true')
    expect(markdown).toMatch(/\| secret \|/)
  })

  it.each([
    [{ type: 'select', options: ['a'] }, 'type'],
    [{ type: 'text', default: 'Winter2026!' }, 'default'],
  ])('FLO-60 is refused as %j', async (fields, property) => {
    const { admin } = await createAccount(service)
    const form = [{ key: 'pin', label: 'PIN', secret: true, ...fields }]
    const response = await admin.call('POST', '/trees', { name: 'Sign in', ...flowFields, intake_form: form })
    expectStatus(response, 422)
    expect(response.text).toContain(`"${property}"`)
  })
})

it('SES-45 refuses a run of a schedule whose target list contains an answer to a secret field', async () => {
  const { admin } = await createAccount(service)
  const flow = await createFlow(admin, { ...flowFields, tree_type: 'maintenance' })
  const createSchedule = async (variables: object) => {
    const list = (
      await admin.call('POST', '/target-lists/', {
        name: crypto.randomUUID(),
        targets: [{ label: 'SRV', variables }],
      })
    ).body
    const body = {
      name: 'Nightly',
      tree_id: flow.id,
      target_list_id: list.id,
      cron: '0 2 * * *',
      timezone: 'Europe/Berlin',
    }
    return (await admin.call('POST', '/maintenance-schedules', body)).body.id
  }
  const refused = await admin.call(
    'POST',
    `/maintenance-schedules/${await createSchedule({ server: 'a', admin_password: 'Winter2026!' })}/run`,
  )
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_targets'])
  expect(refused.text).not.toContain('Winter2026')
  expectStatus(
    await admin.call('POST', `/maintenance-schedules/${await createSchedule({ server: 'a' })}/run`),
    201,
  )
})
