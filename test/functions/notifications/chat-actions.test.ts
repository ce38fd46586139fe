import { afterAll, describe, expect, it } from 'vitest'
import { type OwnService, startOwnService } from '#test/support/app.ts'
import { createGatedSession } from '#test/support/approvals.ts'
import {
  type ChatUser,
  createChatUser,
  insertSignedConfig,
  linkPerson,
  type SignedConfig,
  sendPress,
  writePress,
} from '#test/support/chat-presses.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createDefaultPolicy, notifyUser } from '#test/support/reminders.ts'
import { chatActionKinds } from '#vendors/chat/chat.ts'

type Kind = (typeof chatActionKinds)[number]
const services = new Map<string, Promise<OwnService>>()
/** Start one service per platform, for all tests of this file. */
function open(platform: 'node' | 'cloudflare'): Promise<OwnService> {
  const service = services.get(platform) ?? startOwnService({}, { platform })
  services.set(platform, service)
  return service
}
afterAll(async () => {
  for (const service of services.values()) await (await service).close()
})

interface Scene {
  service: OwnService
  config: SignedConfig
  admin: Person
  /** Who has escalated, or runs the session that waits for an approval. */
  author: Person
  colleague: Person
  viewer: Person
  /** The message with the button, and the path of the operation that the button stands for. */
  deliveryId: string
  path: string
}

/** Return the messages that a config got, newest first, and the answers to presses of the same tool. */
const readChat = ({ stack }: OwnService, part: string) =>
  stack.localServer.dashboard.records.list('chat').filter(({ path }) => path.includes(part))
const findButtons = (body: unknown): { action_id: string; value?: string }[] =>
  ((body as { blocks?: { type: string; elements?: [] }[] }).blocks ?? [])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements = [] }) => elements)

/** Create what a button of this kind acts on, and wait for its message. */
async function createScene(service: OwnService, kind: Kind): Promise<Scene> {
  const account = await createAccount(service)
  const { admin } = account
  const people = {
    admin,
    author: await account.addColleague(),
    colleague: await account.addColleague({ role: kind === 'approve' ? 'admin' : 'engineer' }),
    viewer: await account.addColleague(),
  }
  const config = await insertSignedConfig(service, admin)
  await service.sql(
    `update notification_configs set events_enabled = '["session.escalated", "approval.requested"]' where id = $1`,
    [config.id],
  )
  const path = kind === 'approve' ? await requestApproval(people.author) : await escalate(people, kind)
  const channel = new URL(config.webhookUrl).pathname
  await expect.poll(() => readChat(service, channel).length, { timeout: 30_000 }).toBeGreaterThan(0)
  const button = readChat(service, channel)
    .flatMap(({ body }) => findButtons(body))
    .find(({ action_id }) => action_id === kind)
  expect(button, `the message has the button ${kind}`).toBeDefined()
  return { service, config, ...people, deliveryId: button?.value ?? '', path }
}

async function requestApproval(author: Person): Promise<string> {
  const { id } = await createGatedSession(author)
  const { body } = expectStatus(await author.call('POST', `/sessions/${id}/approvals`, {}), 201)
  return `/sessions/${id}/approvals/${body.id}/approve`
}

async function escalate({ admin, author }: { admin: Person; author: Person }, kind: Kind): Promise<string> {
  await createDefaultPolicy(admin, [[notifyUser(admin)]], 3)
  const { id, handoffId } = await createEscalation(author)
  return `/ai-sessions/${id}/handoffs/${handoffId}/${kind}`
}

const press = ({ service, config, deliveryId }: Scene, kind: Kind, user: ChatUser) =>
  sendPress(service, config, writePress(config, { kind, deliveryId, user }))

/** Return what has become of the matter, with people by their place in the scene. */
async function readEffect(scene: Scene) {
  const { service, admin, author, colleague, viewer } = scene
  const names = new Map(
    Object.entries({ admin, author, colleague, viewer }).map(([name, { id }]) => [id, name]),
  )
  const name = (id: string | null) => (id === null ? null : (names.get(id) ?? 'somebody else'))
  const select = (sql: string) => service.sql<Record<string, string | null>>(sql, [admin.accountId])
  const [handoffs, followUps, approvals, events, audit] = await Promise.all([
    select('select claimed_by from ai_handoffs where account_id = $1'),
    select('select acknowledged_by from escalation_follow_ups where account_id = $1'),
    select('select state, decided_by from approvals where account_id = $1'),
    select(
      `select key, actor_id from events where account_id = $1 and key not like 'handoff.assess%' order by key`,
    ),
    select(
      `select action, actor_id from audit_logs where account_id = $1 and resource_type = 'approval' order by action, id`,
    ),
  ])
  return {
    claimed: handoffs.map(({ claimed_by = null }) => name(claimed_by)),
    acknowledged: followUps.map(({ acknowledged_by = null }) => name(acknowledged_by)),
    approvals: approvals.map(({ state, decided_by = null }) => [state, name(decided_by)]),
    events: events.map(({ key, actor_id = null }) => [key, name(actor_id)]),
    audit: audit.map(({ action, actor_id = null }) => [action, name(actor_id)]),
  }
}

/** Who presses, as a user of the chat tool and with the access token of the same person. */
type Presser = { user: ChatUser; token: Person | null; scene?: Partial<Scene> }
const pressers: Record<string, (scene: Scene) => Promise<Presser>> = {
  'is linked and may': async ({ service, config, colleague }) => ({
    user: await linkPerson(service, config, colleague),
    token: colleague,
  }),
  'is linked and is the author': async ({ service, config, author }) => ({
    user: await linkPerson(service, config, author),
    token: author,
  }),
  'is linked and has become a viewer': async ({ service, config, viewer }) => {
    const user = await linkPerson(service, config, viewer)
    await service.sql(`update users set role = 'viewer' where id = $1`, [viewer.id])
    return { user, token: viewer }
  },
  'was deactivated': async ({ service, config, colleague }) => {
    const user = await linkPerson(service, config, colleague)
    await service.sql('update users set is_active = false where id = $1', [colleague.id])
    return { user, token: colleague }
  },
  'has ended the link': async ({ service, config, colleague }) => {
    const user = await linkPerson(service, config, colleague)
    const { body } = await colleague.call('GET', '/auth/me/sessions')
    const { id } = body.find(({ user_agent }: { user_agent: string }) => user_agent.endsWith('(Slack)'))
    expectStatus(await colleague.call('DELETE', `/auth/me/sessions/${id}`), 204)
    return { user, token: null }
  },
  'is linked to the config of another account': async ({ service }) => {
    const { admin } = await createAccount(service)
    const config = await insertSignedConfig(service, admin)
    return { user: await linkPerson(service, config, admin), token: admin, scene: { config } }
  },
  'is nobody known': async () => ({ user: createChatUser(), token: null }),
}

describe.each(entries)('a button on %s', (platform) => {
  it.each(chatActionKinds.flatMap((kind) => Object.keys(pressers).map((who) => [kind, who] as const)))(
    'NOT-112 NOT-113 %s by who %s does what their own request does',
    async (kind, who) => {
      const service = await open(platform)
      const createPresser = pressers[who] as (scene: Scene) => Promise<Presser>
      const [pressed, asked] = [await createScene(service, kind), await createScene(service, kind)]
      const presser = await createPresser(pressed)
      const responseUrl = `/chat/1/actions/${crypto.randomUUID()}`
      const config = presser.scene?.config ?? pressed.config
      const { deliveryId } = pressed
      const bytes = writePress(config, {
        ...{ kind, deliveryId, user: presser.user },
        responseUrl: service.localOrigin + responseUrl,
      })
      const { result } = expectStatus(await sendPress(service, config, bytes), 200).body
      const person = (await createPresser(asked)).token
      const own = person ? await person.call('POST', asked.path, {}) : { status: 401, body: {} }
      expect(await readEffect(pressed)).toEqual(await readEffect(asked))
      const answers = () => readChat(service, responseUrl).map(({ body }) => body as Record<string, unknown>)
      await expect.poll(() => answers().length, { timeout: 30_000 }).toBe(1)
      const text = JSON.stringify(answers()[0])
      expect(readChat(service, responseUrl).every(({ accepted }) => accepted)).toBe(true)
      if (own.status < 300) {
        expect(result).toBe('done')
        expect(answers()[0]).toMatchObject({ replace_original: true })
        expect(text).toContain(pressed.colleague.fullName)
        expect(findButtons(answers()[0]).map(({ action_id }) => action_id)).not.toContain(kind)
        return
      }
      expect(answers()[0]).toMatchObject({ response_type: 'ephemeral', replace_original: false })
      expect(result).toBe(own.status === 401 ? 'not_linked' : 'refused')
      if (own.status === 401) expect(text).toContain('/chat-link?token=')
      else expect(text).toContain(own.status === 404 ? 'too old for its buttons' : own.body.detail)
    },
  )

  it.each(chatActionKinds)('NOT-115 %s that is pressed 32 times at once acts once', async (kind) => {
    const service = await open(platform)
    const scene = await createScene(service, kind)
    const people = [scene.colleague, scene.admin]
    const users = await Promise.all(people.map((person) => linkPerson(service, scene.config, person)))
    const pressing = await runConcurrently((n) => press(scene, kind, users[n % 2] as ChatUser), 32)
    const results = pressing.map(({ body }) => body.result)
    // An acknowledgement can be repeated. On a busy machine some presses are told to try again.
    const again = await press(scene, kind, users[0] as ChatUser)
    const expected = kind === 'acknowledge' ? ['done'] : ['done', 'refused']
    expect(expected).toContain(again.body.result)
    expect([...new Set(results)].sort()).toEqual(results.includes('refused') ? ['done', 'refused'] : ['done'])
    const { claimed, acknowledged, approvals, events } = await readEffect(scene)
    const happened = {
      claim: 'handoff.claimed',
      acknowledge: 'escalation.acknowledged',
      approve: 'approval.decided',
    }
    expect(events.filter(([key]) => key === happened[kind])).toHaveLength(1)
    expect([...claimed, ...acknowledged, ...approvals.map(([, by]) => by)].filter(Boolean)).toHaveLength(1)
  })
})
