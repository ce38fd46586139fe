import { describe, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { sharedService } from '#test/support/app.ts'
import {
  createChatUser,
  createLinkToken,
  insertSignedConfig,
  linkPerson,
  type SignedConfig,
  sendPress,
  writePress,
} from '#test/support/chat-presses.ts'
import { countByStatus, runConcurrently } from '#test/support/concurrency.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createTokenSigner } from '#vendors/auth/jwt.ts'

const service = await sharedService()
const create = (person: Person, token: string) => person.call('POST', '/auth/chat-links', { token })
const somePress = { kind: 'claim', deliveryId: crypto.randomUUID() }
/** Return whether a press of a user is one of a person. */
const isLinked = async (config: SignedConfig, user: ReturnType<typeof createChatUser>) =>
  (await sendPress(service, config, writePress(config, { ...somePress, user }))).body.result !== 'not_linked'

async function createScene() {
  const account = await createAccount(service)
  return {
    ...account,
    person: await account.addColleague(),
    config: await insertSignedConfig(service, account.admin),
  }
}

describe('a request to link a user of a chat tool', () => {
  it('NOT-113 names the user, and works once', async () => {
    const { person, config } = await createScene()
    const user = createChatUser()
    const token = await createLinkToken(service, person, user, config)
    const { body } = expectStatus(await person.call('GET', `/auth/chat-links/${token}`), 200)
    expect(body).toEqual({ chat_user: 'dana (northwind)' })
    expect(await isLinked(config, user)).toBe(false)
    const answers = await runConcurrently(() => create(person, token), 8)
    expect(countByStatus(answers)).toEqual({ 201: 1, 400: 7 })
    expect(await isLinked(config, user)).toBe(true)
    const link = answers.find(({ status }) => status === 201)?.body
    expectStatus(await person.call('DELETE', `/auth/me/sessions/${link.id}`), 204)
    expect(await isLinked(config, user)).toBe(false)
    expectStatus(await create(person, token), 400)
  })

  it('NOT-113 ends after 10 minutes, and is ours', async () => {
    const { person, config, id: account } = await createScene()
    const sign = (purpose: string, at: Date) =>
      createTokenSigner(parseConfig(service.settings), purpose).sign(
        crypto.randomUUID(),
        { account, config: config.id, team: 'T', user: 'U', name: 'x' },
        600,
        at,
      )
    const late = await sign('/chat-link', new Date(Date.now() - 601_000))
    const other = await sign('/approval', new Date())
    for (const token of [late, other, 'x', 'a.b.c']) expectStatus(await create(person, token), 400)
    expectStatus(await create(person, await sign('/chat-link', new Date())), 201)
  })
})

describe('a link of a chat tool', () => {
  it('NOT-113 of the same user replaces the earlier one', async () => {
    const { person, admin, config } = await createScene()
    const user = createChatUser()
    for (const each of [person, admin])
      expectStatus(await create(each, await createLinkToken(service, each, user, config)), 201)
    const listOf = async (each: Person) =>
      (await each.call('GET', '/auth/me/sessions')).body.filter(({ user_agent }: { user_agent: string }) =>
        user_agent.includes('Slack'),
      )
    expect([(await listOf(person)).length, (await listOf(admin)).length]).toEqual([0, 1])
  })

  const ends: [string, (scene: Awaited<ReturnType<typeof createScene>>) => Promise<unknown>][] = [
    ['all sign-ins', ({ person }) => person.call('DELETE', '/auth/me/sessions')],
    [
      'the person, who leaves',
      ({ admin, person }) => admin.call('DELETE', `/accounts/me/members/${person.id}`),
    ],
    [
      'another signing secret',
      ({ admin, config }) =>
        admin.call('PATCH', `/notifications/configs/${config.id}`, { signing_secret: 'x'.repeat(32) }),
    ],
    ['its config', ({ admin, config }) => admin.call('DELETE', `/notifications/configs/${config.id}`)],
  ]
  it.each(ends)('NOT-117 ends with %s', async (_, end) => {
    const scene = await createScene()
    const user = await linkPerson(service, scene.config, scene.person)
    expect(await isLinked(scene.config, user)).toBe(true)
    await end(scene)
    const [{ count } = {}] = await service.sql<{ count: string }>(
      `select count(*) from sign_ins where account_id = $1 and user_agent like '%(Slack)' and ended_at is null`,
      [scene.id],
    )
    expect(count).toBe('0')
  })

  it('NOT-117 holds for its config only, and another change of the config leaves it', async () => {
    const { person, admin, config } = await createScene()
    const user = await linkPerson(service, config, person)
    expect(await isLinked(await insertSignedConfig(service, admin), user)).toBe(false)
    expectStatus(
      await admin.call('PATCH', `/notifications/configs/${config.id}`, { events_enabled: [] }),
      200,
    )
    expect(await isLinked(config, user)).toBe(true)
  })

  it('NOT-117 of a person with a second factor is made by a sign-in that has verified it', async () => {
    const { person, config } = await createScene()
    await service.sql('update sign_ins set second_factor_at = app.now() where id = $1', [person.signInId])
    const user = await linkPerson(service, config, person)
    await service.sql('update users set has_second_factor = true where id = $1', [person.id])
    expect(await isLinked(config, user)).toBe(true)
  })
})
