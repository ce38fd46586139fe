import { spawnSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { withConnection } from '#db/migrate/connection.ts'
import { startNodeProcess } from '#local/node-process.ts'
import { findFreePort } from '#local/ports.ts'
import { root } from '#local/root.ts'
import { makeSuperAdmin } from '#ops/admin.ts'
import { reseal, rotateCredentialsKeys, rotateJwtKeys, rotateKeys } from '#ops/rotate-secrets.ts'
import { resealColumn, type SealedColumn, sealedColumns } from '#ops/sealed-columns.ts'
import { checkSealedValues } from '#ops/sealed-values.ts'
import { fingerprintKeys } from '#rules/settings/fingerprint.ts'
import { request, startOwnService } from '#test/support/app.ts'
import { subscribeBrowser } from '#test/support/browsers.ts'
import { sendPress, writePress } from '#test/support/chat-presses.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { connectMcpServer } from '#test/support/mcp-servers.ts'
import { createAccount } from '#test/support/people.ts'
import { setUpGateway } from '#test/support/phone.ts'
import { connectPsa } from '#test/support/psa.ts'
import { connectRunner } from '#test/support/runner.ts'
import { createSession } from '#test/support/sessions.ts'
import { createIssuer, insertConnection } from '#test/support/sso.ts'
import { completeChallenge, enableTotp, login, readCode, register } from '#test/support/two-factor.ts'
import { openArticlesKey, sealArticlesKey } from '#vendors/articles/sealed-key.ts'
import { openAnswers } from '#vendors/auth/sealed-answers.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealRunPayload } from '#vendors/runner/sealed-key.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { JWT_KEYS = '', CREDENTIALS_KEY = '' } = service.settings

/** Start another process on the same database, with the keys of a later step. */
async function startProcess(changes: Record<string, string>): Promise<{ api: string }> {
  const port = await findFreePort()
  const settings = { ...service.settings, ...changes, PORT: String(port) }
  const running = await startNodeProcess({ settings, onLog: () => {}, onRoundTrip: () => {} })
  onTestFinished(() => running.dispose())
  return { api: `http://127.0.0.1:${port}` }
}

const intake_form = [{ key: 'admin_password', label: 'Admin password', type: 'text', secret: true }]
const steps = [
  { id: 's0', type: 'procedure_step', title: 'Sign in with {{admin_password}}', description: '' },
  { id: 'end', type: 'procedure_end', title: 'Done', description: '' },
]

/** Store a secret in every sealed column. */
async function storeSecrets() {
  const { admin } = await createAccount(service)
  await connectPsa(service, admin)
  await connectRunner(service, admin)
  await insertConnection(service, admin.accountId, createIssuer(service))
  await setUpGateway(service, admin)
  const mcpServer = await connectMcpServer(service, admin)
  const chat = {
    channel: 'chat1_webhook',
    webhook_url: `${service.localOrigin}/chat/1/rotation`,
    signing_secret: 'e6b19c573432dcc6b075501d51b51bb8',
  }
  const { id: configId } = expectStatus(await admin.call('POST', '/notifications/configs', chat), 201).body
  const hook = { url: `${service.localOrigin}/hooks/rotation`, events: ['flow.published'] }
  const { id: webhookId } = expectStatus(await admin.call('POST', '/webhooks', hook), 201).body
  expectStatus(await admin.call('POST', `/webhooks/${webhookId}/rotate-secret`), 200)
  const flow = { tree_type: 'procedural', tree_structure: { steps }, intake_form }
  const session = await createSession(admin, { variables: { admin_password: 'lantern-and-oak' } }, flow)
  const batchId = crypto.randomUUID()
  const apiKey = await sealArticlesKey(
    createVault(JSON.parse(CREDENTIALS_KEY)),
    admin.accountId,
    batchId,
    'key-of-articles',
  )
  await service.sql(
    `insert into kb_batches (id, account_id, created_by, source, address, api_key, total, next_attempt_at)
     values ($1, $2, $3, 'hudu', 'https://kb.example.com', $4, 0, app.now() + interval '1 hour')`,
    [batchId, admin.accountId, admin.id, apiKey],
  )
  const runId = crypto.randomUUID()
  const payload = await sealRunPayload(createVault(JSON.parse(CREDENTIALS_KEY)), admin.accountId, runId, {
    script: 'exit',
    language: 'bash',
    secrets: [],
  })
  await service.sql(
    `insert into runner_runs (id, account_id, session_id, title, script_template_id, script_version, agent_id, time_limit_seconds, payload, requested_by,
                              next_attempt_at)
     values ($1, $2, $3, 'Restart', $1, 1, 'a', 60, $4, $5, app.now() + interval '1 hour')`,
    [runId, admin.accountId, session.id, payload, admin.id],
  )
  await subscribeBrowser(service, admin)
  const person = await register(service)
  return {
    admin,
    batchId,
    person,
    totp: await enableTotp(service, person),
    sessionId: session.id as string,
    webhookId: webhookId as string,
    mcpServerId: mcpServer.id,
    chatConfig: { id: configId as string, webhookUrl: chat.webhook_url, secret: chat.signing_secret },
  }
}

/** Use every stored secret through a process. Return the statuses and what they show. */
async function useSecrets(
  process: { api: string },
  { admin, sessionId, webhookId, mcpServerId, chatConfig }: Awaited<ReturnType<typeof storeSecrets>>,
) {
  const call = (method: string, path: string) => request(process, method, path, { token: admin.token })
  const psa = await call('POST', '/integrations/psa/connection/test')
  const runner = await call('POST', '/integrations/runner/test')
  const sso = await call('POST', '/accounts/me/sso/test')
  const mcpServer = await call('POST', `/integrations/mcp-servers/${mcpServerId}/refresh`)
  const webhook = await call('POST', `/webhooks/${webhookId}/test`)
  const session = await call('GET', `/sessions/${sessionId}`)
  const press = { kind: 'claim', deliveryId: sessionId }
  const pressed = await sendPress(process, chatConfig, writePress(chatConfig, press))
  return [
    pressed.status,
    pressed.body.result,
    psa.status,
    psa.body.success,
    runner.status,
    runner.body.success,
    sso.status,
    sso.body.success,
    mcpServer.body.last_check_error,
    webhook.status,
    webhook.body.message,
    session.status,
  ]
}

it('OPS-01 the keys of stored secrets can be exchanged in steps while requests run', async () => {
  const stored = await storeSecrets()
  const added = rotateCredentialsKeys(CREDENTIALS_KEY, 'add')
  const promoted = rotateCredentialsKeys(added, 'promote')
  const [first, second] = [
    await startProcess({ CREDENTIALS_KEY: added }),
    await startProcess({ CREDENTIALS_KEY: promoted }),
  ]
  const before = await useSecrets(service, stored)
  expect(before).toEqual([
    200,
    'not_linked',
    200,
    true,
    200,
    true,
    200,
    true,
    null,
    200,
    'The receiver accepted the message',
    200,
  ])
  const used: unknown[] = []
  let isOver = false
  const keepUsing = async (process: { api: string }) => {
    // A process lets each person test a connection five times per minute.
    for (let uses = 0; uses < 4 && !isOver; uses++) used.push(await useSecrets(process, stored))
  }
  const using = [first, second].map(keepUsing)
  const lines: string[] = []
  expect(await reseal(service.ownerUrl, JSON.parse(promoted), (line) => lines.push(line))).toBe(true)
  isOver = true
  await Promise.all(using)
  expect(used.length).toBeGreaterThan(1)
  expect(used.filter((result) => JSON.stringify(result) !== JSON.stringify(before))).toEqual([])
  expect(lines).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}: 1 encrypted again`))
  const last = await startProcess({ CREDENTIALS_KEY: rotateCredentialsKeys(promoted, 'remove') })
  const lastKeys = JSON.parse(rotateCredentialsKeys(promoted, 'remove'))
  expect((await checkSealedValues(service.ownerUrl, lastKeys)).problems).toEqual([])
  const others = [{ ...lastKeys[0], key: Buffer.alloc(32, 'other').toString('base64') }]
  expect((await checkSealedValues(service.ownerUrl, others)).problems).toEqual(
    sealedColumns.map(({ table, column }) => expect.stringContaining(`${table}.${column}: no key opens`)),
  )
  expect(await useSecrets(last, stored)).toEqual(before)
  const lastVault = createVault(JSON.parse(rotateCredentialsKeys(promoted, 'remove')))
  const [row] = await service.sql<{ secret_variables: Record<string, string> }>(
    'select secret_variables from sessions where id = $1',
    [stored.sessionId],
  )
  expect(await openAnswers(lastVault, stored.sessionId, row?.secret_variables ?? {})).toEqual({
    admin_password: 'lantern-and-oak',
  })
  const { batchId } = stored
  const [batch] = await service.sql<{ api_key: string }>('select api_key from kb_batches where id = $1', [
    batchId,
  ])
  expect(await openArticlesKey(lastVault, stored.admin.accountId, batchId, batch?.api_key ?? '')).toBe(
    'key-of-articles',
  )
  const challenge = expectStatus(
    await login({ ...service, api: last.api, fetch: undefined }, stored.person),
    200,
  ).body
  const code = await readCode(service, stored.totp.secret)
  expectStatus(
    await completeChallenge(
      { ...service, api: last.api, fetch: undefined },
      { mfa_token: challenge.mfa_token, code },
    ),
    200,
  )
  expect(
    await service.sql(
      `select from audit_logs where changes::text like '%credentials%' and action like '%updated'`,
    ),
  ).toEqual([])
})

it('OPS-01 the keys of access tokens can be exchanged in steps, and the processes of two neighbouring steps accept the same tokens', async () => {
  // The test above has exchanged them.
  await service.sql("delete from key_fingerprints where setting = 'CREDENTIALS_KEY'")
  const added = rotateJwtKeys(JWT_KEYS, 'add')
  const promoted = rotateJwtKeys(added, 'promote')
  const processes = [
    service,
    await startProcess({ JWT_KEYS: added }),
    await startProcess({ JWT_KEYS: promoted }),
  ]
  const removed = await startProcess({ JWT_KEYS: rotateJwtKeys(promoted, 'remove') })
  const person = await register(service)
  const readStatus = async (process: { api: string }, token: string) =>
    (await request(process, 'GET', '/auth/me', { token })).status
  const refresh = async (process: { api: string }, refresh_token: string) =>
    expectStatus(await request(process, 'POST', '/auth/refresh', { body: { refresh_token } }), 200).body
  expect(await Promise.all(processes.map((process) => readStatus(process, person.token)))).toEqual([
    200, 200, 200,
  ])
  const { access_token } = await refresh(processes[2] as { api: string }, person.refreshToken)
  expect(await Promise.all(processes.map((process) => readStatus(process, access_token)))).toEqual([
    401, 200, 200,
  ])
  expect(await Promise.all([person.token, access_token].map((token) => readStatus(removed, token)))).toEqual([
    401, 200,
  ])
})

it('OPS-13 keys that the database does not know end the start and name the known ones, also in a restored database, until the operator accepts them', async () => {
  const own = await startOwnService()
  onTestFinished(() => own.close())
  const listKnown = async () =>
    (
      await own.sql<{ line: string }>("select setting || ' ' || id as line from key_fingerprints order by 1")
    ).map(({ line }) => line)
  const start = async (changes: Record<string, string>) => {
    const port = await findFreePort()
    const settings = { ...own.settings, ...changes, PORT: String(port) }
    const running = await startNodeProcess({ settings, onLog: () => {}, onRoundTrip: () => {} })
    await running.dispose()
    return listKnown()
  }
  expect(await listKnown()).toEqual(['CREDENTIALS_KEY 1', 'JWT_KEYS local'])
  const other = {
    CREDENTIALS_KEY: JSON.stringify([{ version: 1, key: Buffer.alloc(32, 'other').toString('base64') }]),
    JWT_KEYS: JSON.stringify([{ kid: 'other', secret: 'another-secret-of-forty-characters-here' }]),
  }
  await expect(start({ CREDENTIALS_KEY: other.CREDENTIALS_KEY })).rejects.toThrow(
    /^CREDENTIALS_KEY has none of the keys of this database \("1" of \d{4}-\d\d-\d\d\), so nobody could read the secrets that it stores: set the value that belongs to it, or run `npm run secrets -- accept credentials`/,
  )
  await expect(start({ JWT_KEYS: other.JWT_KEYS })).rejects.toThrow(
    /^JWT_KEYS has none of the keys of this database \("local" of .*accept jwt`/,
  )
  await expect(
    makeSuperAdmin(own.ownerUrl, JSON.parse(other.CREDENTIALS_KEY), 'nobody@people.example'),
  ).rejects.toThrow()
  // A rotation in steps is followed, and the processes of two neighbouring steps may both start.
  const added = rotateJwtKeys(own.settings.JWT_KEYS ?? '', 'add')
  const promoted = rotateJwtKeys(added, 'promote')
  const removed = rotateJwtKeys(promoted, 'remove')
  expect((await start({ JWT_KEYS: added })).length).toBe(3)
  expect((await start({})).length).toBe(2)
  for (const step of [added, promoted, removed]) await start({ JWT_KEYS: step })
  expect((await start({ JWT_KEYS: promoted })).length).toBe(3)
  await start({ JWT_KEYS: removed })
  await expect(start({})).rejects.toThrow(/^JWT_KEYS has none of the keys of this database/)
  // The old key is lost.
  const run = spawnSync(process.execPath, ['lib/ops/rotate-secrets.ts', 'accept', 'jwt'], {
    cwd: root,
    env: { ...own.settings, ...other, DATABASE_OWNER_URL: own.ownerUrl },
    encoding: 'utf8',
  })
  expect([run.status, run.stdout]).toEqual([0, 'The database is used with the keys other of JWT_KEYS.\n'])
  expect(await start({ JWT_KEYS: other.JWT_KEYS })).toEqual(['CREDENTIALS_KEY 1', 'JWT_KEYS other'])
})

it('OPS-13 a fingerprint shows neither a key nor that two settings share one', async () => {
  const key = 'a-secret-of-more-than-32-characters'
  const [jwt, credentials] = await fingerprintKeys({
    JWT_KEYS: [{ kid: 'k', secret: key }],
    CREDENTIALS_KEY: [{ version: 1, key }],
  })
  expect(jwt?.fingerprints[0]).toMatch(/^[\da-f]{32}$/)
  expect(jwt?.fingerprints).not.toEqual(credentials?.fingerprints)
})

it('OPS-13 of processes that start at the same time with different keys on a new database, one wins', async () => {
  const own = await startOwnService()
  onTestFinished(() => own.close())
  await own.sql('delete from key_fingerprints')
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, async (_, n) => {
      const JWT_KEYS = JSON.stringify([{ kid: `k${n}`, secret: `another-secret-of-forty-characters-${n}` }])
      const port = await findFreePort()
      const settings = { ...own.settings, JWT_KEYS, PORT: String(port) }
      const running = await startNodeProcess({ settings, onLog: () => {}, onRoundTrip: () => {} })
      await running.dispose()
    }),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

it('OPS-10 the doctor opens one secret of each sealed column', async () => {
  const own = await startOwnService()
  onTestFinished(() => own.close())
  const keys = JSON.parse(own.settings.CREDENTIALS_KEY ?? '')
  const person = await register(own)
  await enableTotp(own, person)
  expect((await checkSealedValues(own.ownerUrl, keys)).problems).toEqual([])
  expect(
    (await checkSealedValues(own.ownerUrl, [{ version: 1, key: Buffer.alloc(32).toString('base64') }]))
      .problems,
  ).toEqual(['totp_factors.secret: no key opens a secret of version 1'])
})

it('a secret that no key opens is counted and kept, and one that changes during the rotation is not overwritten', async () => {
  const column = sealedColumns.find(({ table }) => table === 'totp_factors') as SealedColumn
  const person = await register(service)
  await enableTotp(service, person)
  await service.sql(`update totp_factors set secret = '77.AAAA.BBBB' where user_id = $1`, [person.id])
  const readSecret = async () =>
    (
      await service.sql<{ secret: string }>('select secret from totp_factors where user_id = $1', [person.id])
    )[0]?.secret
  const keys = JSON.parse(CREDENTIALS_KEY)
  const lines: string[] = []
  expect(await reseal(service.ownerUrl, keys, (line) => lines.push(line))).toBe(false)
  expect(lines.find((line) => line.startsWith('totp_factors'))).toMatch(
    /^totp_factors\.secret: 0 encrypted again, [1-9] that no key opens$/,
  )
  expect(await readSecret()).toBe('77.AAAA.BBBB')
  const vault = createVault(keys)
  const replace = async () => {
    await service.sql(`update totp_factors set secret = '78.new' where user_id = $1`, [person.id])
    return 'the old secret'
  }
  const changing = { ...vault, open: replace }
  const result = await withConnection({ connectionString: service.ownerUrl }, (client) =>
    resealColumn(client, column, changing, 99),
  )
  expect(result).toMatchObject({ unreadable: 0 })
  expect(await readSecret()).toBe('78.new')
  await service.sql('delete from totp_factors where user_id = $1', [person.id])
})

it('every place that seals a secret is in the list of sealed columns', async () => {
  const files = (
    await Promise.all(
      ['lib', 'functions'].map((folder) =>
        readdir(join(root, folder), { recursive: true, withFileTypes: true }),
      ),
    )
  ).flat()
  const sources = files
    .filter((file) => file.name.endsWith('.ts'))
    .map((file) => join(file.parentPath, file.name))
  const sealing = (
    await Promise.all(sources.map(async (path) => [path, await readFile(path, 'utf8')] as const))
  ).filter(([, text]) => text.includes('vault.seal('))
  expect(sealing.map(([path]) => path.replace(/^.*\/(?=(lib|functions)\/)/, '')).sort()).toEqual([
    'functions/identity/mfa/service.ts',
    // Lives for a day, so it is not encrypted again.
    'lib/http/idempotency.ts',
    'lib/ops/sealed-columns.ts',
    'lib/vendors/articles/sealed-key.ts',
    'lib/vendors/auth/sealed-answers.ts',
    'lib/vendors/auth/sealed-client-secret.ts',
    'lib/vendors/chat/signing.ts',
    'lib/vendors/mcp/sealed-token.ts',
    'lib/vendors/phone/sealed-secret.ts',
    'lib/vendors/psa/connection.ts',
    'lib/vendors/runner/sealed-key.ts',
    'lib/vendors/web-push/sealed-subscription.ts',
    'lib/vendors/webhooks/sealed-secrets.ts',
  ])
})

it.each([
  [['a'], 'add', ['a', 'new']],
  [['a', 'b'], 'promote', ['b', 'a']],
  [['a', 'b'], 'remove', ['a']],
] as const)('the keys %j become with "%s" %j', (keys, step, expected) => {
  expect(rotateKeys(keys as readonly string[], step, () => 'new')).toEqual(expected)
})

it.each([
  [[], 'add'],
  [['a'], 'promote'],
  [['a'], 'remove'],
  [['a', 'b'], 'add'],
  [['a', 'b', 'c'], 'promote'],
] as const)('the keys %j refuse "%s"', (keys, step) => {
  expect(() => rotateKeys(keys as readonly string[], step, () => 'new')).toThrow(/key/)
})
