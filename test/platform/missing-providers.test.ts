import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { secrets } from '#local/settings.ts'
import { createRequestSetup } from '#test/contract/request-setup.ts'
import { send } from '#test/contract/requests.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries } from '#test/support/night.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const missing = { OPENAI_API_KEY: undefined, RESEND_API_KEY: undefined, MAIL_FROM: undefined }
const askingOperations = operations.filter(({ errors }: AnyOperation) =>
  errors?.includes('ai_provider_error'),
) as AnyOperation[]
const password = 'demo-ladder-42-x'

describe.each(entries)('without an AI and a mail provider, on %s', async (platform) => {
  const service = await startOwnService(missing, { platform })
  afterAll(() => service.close())
  const registered = await postWithoutToken(service, '/auth/register', {
    email: 'ada@example.com',
    password,
    full_name: 'Ada Novak',
  })
  const signedIn = await postWithoutToken(service, '/auth/login', { email: 'ada@example.com', password })
  const authorization = `Bearer ${(signedIn.body as { access_token: string }).access_token}`
  await service.sql('update users set email_verified_at = now()')
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const request = new Request(`${service.api}/api/v1${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const response = await (service.fetch ?? fetch)(request)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  it('INS-07 a person registers, and the e-mail fails with the reason', async () => {
    expectStatus(registered, 201)
    await service.stack.localServer.qstash.waitUntilSettled()
    expect(await service.sql('select state, attempts, last_error from deliveries')).toEqual([
      { state: 'failed', attempts: 1, last_error: 'The service has no mail provider' },
    ])
  })
  it.each([
    ['mail_not_configured', '/auth/resend-verification', {}],
    ['mail_not_configured', '/auth/forgot-password', { email: 'ada@example.com' }],
    ['mail_not_configured', '/accounts/me/invites', { email: 'b@example.com', role: 'engineer' }],
  ])('INS-07 answers 503 %s to %s before it stores anything', async (code, path, body) => {
    const answer = await call('POST', path, body)
    expect(answer).toMatchObject({ status: 503, body: { code } })
    expect(await service.sql('select count(*) as n from invites')).toEqual([{ n: '0' }])
  })
  it.each(askingOperations.map((op) => [op.id, op] as const))(
    'INS-07 answers 503 to %s, which writes nothing',
    async (_, op) => {
      const { person, sample, rows } = await createRequestSetup(service, op)
      // A chat is created without asking the model.
      const body =
        op.id === 'ai.turns.createSession'
          ? { session_type: 'guided', problem_summary: 'No mail.' }
          : sample.body
      const before = await rows()
      const { status, body: problem } = await send(service, op, { ...sample, body } as typeof sample, {
        token: person.token,
      })
      expect([status, problem.code, await rows()]).toEqual([503, 'ai_not_configured', before])
    },
  )
  it('INS-07 shows AI as off in the feature flags, and the rest as before', async () => {
    const { flags } = (await call('GET', '/auth/me/feature-flags')).body as {
      flags: Record<string, boolean>
    }
    expect(flags).toMatchObject({
      ai_sessions: false,
      ai_authoring: false,
      script_builder: false,
      network_diagrams: true,
    })
  })
  it('INS-07 is ready, and says once at the start what is missing', async () => {
    const response = await (service.fetch ?? fetch)(
      new Request(`${service.api}/ready`, { headers: { authorization: `Bearer ${secrets.readyToken}` } }),
    )
    const { checks, status } = (await response.json()) as { checks: object; status: string }
    expect([response.status, status]).toEqual([200, 'ok'])
    expect(Object.keys(checks)).toEqual(expect.arrayContaining(['database', 'redis', 'queue']))
    expect(Object.keys(checks).filter((name) => name === 'mail' || name === 'ai')).toEqual([])
    for (const name of ['OPENAI_API_KEY', 'RESEND_API_KEY'])
      expect(service.log.filter((line) => line.includes(name))).toHaveLength(1)
  })
})
