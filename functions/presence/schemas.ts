import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

const Resource = {
  type: z
    .enum(['flow', 'session', 'ai_session'])
    .meta({ id: 'PresenceType' })
    .describe('The type of the resource.'),
  id: Uuid.describe('Id of the flow, session or AI session.'),
}
const TabId = z
  .string()
  .regex(/^[\w-]{1,36}$/, 'must be 1 to 36 letters, digits, - or _')
  .describe(
    'Chosen by the client for each tab or window. Closing one tab does not end the presence of another.',
  )
const Mode = z.enum(['viewing', 'editing']).meta({ id: 'PresenceMode' })

export const PresencePut = z
  .strictObject({ ...Resource, mode: Mode, tab_id: TabId.optional() })
  .meta({ id: 'PresencePut' })
export type PresencePut = z.infer<typeof PresencePut>

export const PresenceQuery = z.strictObject({
  type: Resource.type.optional().describe('Only resources of this type.'),
  id: Resource.id.optional().describe('Only this flow, session or AI session.'),
})
export type PresenceQuery = z.infer<typeof PresenceQuery>

export const PresenceDelete = z.strictObject({
  ...Resource,
  tab_id: TabId.optional().describe('The tab that leaves. Without it, all of my tabs leave.'),
})
export type PresenceDelete = z.infer<typeof PresenceDelete>

const colleague = {
  user: z
    .strictObject({ id: Id, name: z.string().describe('Their full name.').meta({ example: 'Dana Reyes' }) })
    .describe('The colleague.'),
  mode: Mode.describe('`editing` if they edit in any of their tabs.'),
  since: Time.describe('When they arrived.'),
}

const PresentColleague = z.strictObject(colleague).meta({ id: 'PresentColleague' })
export type PresentColleague = z.infer<typeof PresentColleague>

/** The warning in the answer to a change. */
export const AlsoHere = z
  .array(PresentColleague)
  .describe('Colleagues who view or edit it now. Returned only by changes, and only if there are any.')

export const Presence = z
  .strictObject({
    expires_at: Time.describe('When the presence ends unless the request is repeated: after 60 seconds.'),
    also_here: z
      .array(PresentColleague)
      .describe('Colleagues who view or edit it now, those who edit first.'),
  })
  .meta({ id: 'PresenceResponse' })
export type Presence = z.infer<typeof Presence>

export const PresenceListItem = z
  .strictObject({
    type: Resource.type,
    id: Id.describe('Id of the flow, session or AI session.'),
    ...colleague,
    expires_at: Time.describe('When their presence ends unless it is repeated.'),
  })
  .meta({ id: 'PresenceListItem' })

/** The data of the `presence` event of the escalation stream. */
export const PresenceEvent = z
  .strictObject({
    type: Resource.type,
    id: Id.describe('Id of the flow, session or AI session.'),
    user: colleague.user,
    mode: Mode.nullable().describe('Null when they have left.'),
    since: Time.nullable().describe('When they arrived; null when they have left.'),
  })
  .meta({ id: 'PresenceEvent' })
