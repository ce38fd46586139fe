import * as z from 'zod'
import { parseJson } from '#rules/text/json.ts'
import { Uuid } from '#rules/uuid.ts'
import { type ChatActionKind, chatActionKinds } from './chat.ts'

/** A button that a user of a chat tool has pressed. */
export interface Press {
  kind: ChatActionKind
  deliveryId: string
  /** The ids of the workspace and the user. */
  team: string
  chatUser: string
  /** What the tool calls the user. */
  name: string
  /** Where the press is answered. It is outside input. */
  responseUrl: string
}

const ToolId = z.string().min(1).max(100)
const text = z.string().max(300).optional().catch(undefined)

// https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
const Payload = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: ToolId, name: text, username: text, team_id: ToolId.optional().catch(undefined) }),
  // Null for an app that a whole organization has installed.
  team: z.object({ id: ToolId, domain: text }).nullish().catch(null),
  response_url: z.string().max(2000),
  // One press has one action.
  actions: z.tuple([z.object({ action_id: z.enum(chatActionKinds), value: Uuid })]),
})

/**
 * Read the body that Slack sends for a press: the field `payload` of a form, with JSON. Return undefined for
 * another interaction, such as a link that was opened, and for what is no press of ours.
 */
export function readPress(bytes: Uint8Array): Press | undefined {
  const form = new URLSearchParams(new TextDecoder().decode(bytes))
  const { data } = Payload.safeParse(parseJson(form.get('payload') ?? ''))
  if (!data) return undefined
  const { user, team, response_url: responseUrl, actions } = data
  const [{ action_id: kind, value: deliveryId }] = actions
  const workspace = team?.id ?? user.team_id
  if (workspace === undefined) return undefined
  const userName = user.username ?? user.name ?? user.id
  const name = team?.domain ? `${userName} (${team.domain})` : userName
  return { kind, deliveryId, team: workspace, chatUser: user.id, name, responseUrl }
}
