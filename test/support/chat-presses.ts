import { createHmac, randomUUID } from 'node:crypto'
import { parseConfig } from '#config.ts'
import { insertConfig } from '#test/contract/fixture-rows.ts'
import { createChatLinkTokens } from '#vendors/auth/chat-link-tokens.ts'
import { createVault } from '#vendors/auth/vault.ts'
import type { ChatActionKind } from '#vendors/chat/chat.ts'
import { sealSigningSecret } from '#vendors/chat/signing.ts'
import { request, type Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'

/** A config whose Slack app signs presses. */
export interface SignedConfig {
  id: string
  webhookUrl: string
  secret: string
}

const open = (service: Service) => parseConfig(service.settings)

/** Insert a config with a signing secret. */
export async function insertSignedConfig(service: Service, owner: Person): Promise<SignedConfig> {
  const id = await insertConfig(service, owner)
  const secret = randomUUID().replaceAll('-', '')
  const vault = createVault(open(service).CREDENTIALS_KEY)
  const [row] = await service.sql<{ webhook_url: string }>(
    'update notification_configs set signing_secret = $2 where id = $1 returning webhook_url',
    [id, await sealSigningSecret(vault, owner.accountId, secret)],
  )
  return { id, webhookUrl: row?.webhook_url ?? '', secret }
}

/** Who presses a button. */
export interface ChatUser {
  team: string
  id: string
}

export const createChatUser = (team = `T${randomUUID().slice(0, 8)}`): ChatUser => ({
  team,
  id: `U${randomUUID().slice(0, 8)}`,
})

interface PressFields {
  kind: ChatActionKind | string
  deliveryId: string
  user?: ChatUser
  responseUrl?: string
}

/** Write the body of a press as Slack does. */
export function writePress(
  { webhookUrl }: SignedConfig,
  { kind, deliveryId, user = createChatUser(), responseUrl }: PressFields,
): Uint8Array<ArrayBuffer> {
  const payload = {
    type: 'block_actions',
    user: { id: user.id, username: 'dana', name: 'dana', team_id: user.team },
    team: { id: user.team, domain: 'northwind' },
    trigger_id: randomUUID(),
    response_url: responseUrl ?? `${new URL(webhookUrl).origin}/chat/1/actions/${randomUUID()}`,
    actions: [{ type: 'button', action_id: kind, block_id: 'b', value: deliveryId, action_ts: '1' }],
  }
  return new TextEncoder().encode(new URLSearchParams({ payload: JSON.stringify(payload) }).toString())
}

/** Sign a body as Slack does, some seconds ago. */
export function signPress(
  { secret }: SignedConfig,
  bytes: Uint8Array,
  secondsAgo = 0,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
  const hmac = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(bytes)
  return {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${hmac.digest('hex')}`,
  }
}

/** Send a press with these headers, by default signed ones. */
export function sendPress(
  service: Pick<Service, 'api' | 'fetch'>,
  config: SignedConfig,
  bytes: Uint8Array<ArrayBuffer>,
  headers = signPress(config, bytes),
) {
  return request(service, 'POST', `/chat/${config.id}/actions`, { raw: bytes, headers })
}

/** Sign a request to link a user of a chat tool, as a press of theirs does. */
export async function createLinkToken(
  service: Service,
  owner: Person,
  user = createChatUser(),
  config?: SignedConfig,
): Promise<string> {
  const { id: configId } = config ?? (await insertSignedConfig(service, owner))
  return createChatLinkTokens(open(service)).sign({
    requestId: randomUUID(),
    accountId: owner.accountId,
    configId,
    team: user.team,
    chatUser: user.id,
    name: 'dana (northwind)',
  })
}

/** Link a new user of the chat tool to a person, through the API. */
export async function linkPerson(service: Service, config: SignedConfig, person: Person): Promise<ChatUser> {
  const user = createChatUser()
  const token = await createLinkToken(service, person, user, config)
  expectStatus(await person.call('POST', '/auth/chat-links', { token }), 201)
  return user
}
