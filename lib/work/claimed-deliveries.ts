import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { type Computed, listColumns } from '#db/columns.ts'
import type { ApprovalAlert } from '#rules/events/approval-alert.ts'
import { conversationKeys } from '#rules/events/conversations.ts'
import type { EscalationDetails } from '#rules/events/escalation-alert.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { happenings } from '#rules/events/late-messages.ts'
import type { ReviewAlert } from '#rules/events/review-alert.ts'
import { chatChannels } from '#vendors/chat/chat.ts'
import type { DisabledWebhook } from '#vendors/mail/contents.ts'
import { phoneChannels } from '#vendors/phone/phone.ts'

/** The channels of an account, which a config sets up. */
export const configChannels = [...chatChannels, 'email'] as const
/** The channels of a person, in the order in which an alert reaches them. */
export const personalChannels = ['web_push', ...phoneChannels, 'email'] as const
const channels = [...chatChannels, ...personalChannels] as const

/**
 * Who may read an e-mail with a purpose when it is sent. `address`: the address that it was stored with, whose
 * owner it is about. Otherwise the person at their present address, if they are active, can work, or are an admin.
 */
const readers = {
  verify_email: 'address',
  reset_password: 'address',
  change_email: 'address',
  email_change_requested: 'address',
  email_changed: 'address',
  identity_linked: 'address',
  identity_unlinked: 'address',
  password_changed: 'address',
  chat_user_linked: 'address',
  phone_number_added: 'address',
  program_added: 'address',
  invite: 'address',
  sales_lead: 'address',
  feedback: 'address',
  feedback_receipt: 'address',
  second_factor_added: 'address',
  second_factor_removed: 'address',
  sign_in_without_sso: 'address',
  webhook_disabled: 'admin',
  account_deletion_requested: 'address',
  account_deletion_cancelled: 'address',
  export_ready: 'admin',
  export_failed: 'admin',
  digest: 'active',
  weekly_report: 'working',
  verify_phone: 'address',
} as const satisfies Record<string, 'address' | 'active' | 'working' | 'admin'>
type Reader = (typeof readers)[keyof typeof readers]

/** Condition on `deliveries d`: it has a purpose with these readers. */
const isFor = (reader: Reader) =>
  sql`d.purpose in (${sql.join(Object.entries(readers).flatMap(([purpose, who]) => (who === reader ? sql.lit(purpose) : [])))})`

/** A delivery that a worker has leased for an attempt, with everything that sending it needs. */
export const ClaimedDelivery = z.object({
  id: z.string(),
  account_id: z.string(),
  channel: z.enum(channels),
  attempts: z.int(),
  max_attempts: z.int(),
  recipient: z.string().nullable(),
  purpose: z.enum(Object.keys(readers) as (keyof typeof readers)[]).nullable(),
  user_id: z.string().nullable(),
  /** The browser of a message by Web Push. */
  subscription_id: z.string().nullable(),
  /** Whether the person to whom it is addressed is still there, and may still read it or do what an alert asks for. */
  may_receive: z.boolean(),
  invite_id: z.string().nullable(),
  sales_lead_id: z.string().nullable(),
  feedback_id: z.string().nullable(),
  report_id: z.string().nullable(),
  webhook_id: z.string().nullable(),
  account_name: z.string(),
  account_colour: z.string().nullable(),
  /** When the account will be erased, RFC 3339. */
  deletes_at: z.string().nullable(),
  sender_name: z.string().nullable(),
  config_author: z.string().nullable(),
  mails: z.int(),
  webhook_url: z.string().nullable(),
  /** Whether the chat tool has said that the webhook no longer exists. */
  is_disconnected: z.boolean(),
  /** Whether the chat tool tells who presses a button of the message. */
  takes_presses: z.boolean(),
  email_addresses: z.array(z.string()).nullable(),
  /** Whether the account masks what leaves. */
  is_masked: z.boolean(),
  /** Whether the account allows its texts in notifications of browsers. */
  shows_details: z.boolean(),
  title: z.string().nullable(),
  body: z.string().nullable(),
  link: z.string().nullable(),
  escalation: z.custom<EscalationDetails | null>(),
  approval: z.custom<ApprovalAlert | null>(),
  review: z.custom<(ReviewAlert & { announced_at: string }) | null>(),
  /** The request that the alert is about, while it is open: what a link of the message decides. */
  open_approval: z.custom<{ digest: string; requested_at: string } | null>(),
  /** The same request, in every state. */
  requested_approval: z.custom<{ session_id: string; outcome: string | null; name: string | null } | null>(),
  /** The active user to whom the message about an event is addressed. */
  recipient_id: z.string().nullable(),
  /** The webhook that the e-mail is about. */
  webhook: z.custom<DisabledWebhook | null>(),
  /** When the escalation, or its reminder, was announced that the delivery can acknowledge, RFC 3339. */
  alerted_at: z.string().nullable(),
  /** The kind of event; null for a test message and an e-mail with a purpose. */
  event_key: z.enum(eventKeyList).nullable(),
  /** What has happened to the matter of the event since. */
  happened: z.array(z.enum(happenings)),
  /** The title of the first e-mail of the conversation that its recipient gets; null without one. */
  opening: z.string().nullable(),
  batch_key: z.string().nullable(),
  /** Whether it was created more than a day ago. */
  is_old: z.boolean(),
})
export type ClaimedDelivery = z.output<typeof ClaimedDelivery>

const conversations = sql.join(conversationKeys)

const isOpen = sql`(p.state = 'pending' and p.expires_at > app.now())`

/** The fields of ClaimedDelivery that are no columns of the delivery, in the joins of `selectClaimed`. */
const computed: Computed<typeof ClaimedDelivery> = {
  recipient: sql`
    case when d.recipient is null or d.user_id is null or ${isFor('address')} then d.recipient else coalesce(person.email, d.recipient) end`,
  may_receive: sql`
    (d.user_id is null or coalesce(case when app.is_alert(e) or ${isFor('working')} then app.can_work(person)
                                        when ${isFor('admin')} then person.role = 'admin'
                                        when d.event_id is not null or ${isFor('active')} then person.is_active
                                        else true end, false))`,
  account_name: sql`a.name`,
  account_colour: sql`a.brand_colour`,
  deletes_at: sql`a.deletes_at`,
  sender_name: sql`sender.full_name`,
  config_author: sql`author.full_name`,
  webhook_url: sql`c.webhook_url`,
  is_disconnected: sql`c.disconnected_at is not null`,
  takes_presses: sql`coalesce(c.signing_secret is not null, false)`,
  email_addresses: sql`case when c.email_addresses is not null then app.mail_addresses(d.account_id, d.event_id, d.id, d.config_id) end`,
  is_masked: sql`coalesce(a.preferences -> 'mask_exports' = 'true', false)`,
  shows_details: sql`coalesce(a.preferences -> 'push_details' = 'true', false)`,
  title: sql`e.title`,
  body: sql`e.body`,
  link: sql`e.link`,
  escalation: sql`e.escalation`,
  approval: sql`e.approval`,
  review: sql`e.review || jsonb_build_object('announced_at', app.iso(e.created_at))`,
  open_approval: sql`
    case when ${isOpen} then jsonb_build_object('digest', p.digest, 'requested_at', app.iso(p.requested_at)) end`,
  requested_approval: sql`
    case when p.id is not null then jsonb_build_object(
      'session_id', coalesce(p.session_id, p.ai_session_id), 'name', decider.full_name,
      'outcome', case when ${isOpen} then null when p.state = 'rejected' then 'Declined' when p.decided_by is not null then 'Approved' else 'Ended' end) end`,
  recipient_id: sql`person.id`,
  webhook: sql`
    case when h.id is not null then jsonb_build_object('url', h.url, 'description', h.description, 'reason', h.disabled_reason) end`,
  alerted_at: sql`
    (select e.created_at from ai_handoffs h
       join escalation_follow_ups f on f.account_id = h.account_id and f.session_id = h.session_id and f.handoff_id = h.id
      where h.account_id = d.account_id and h.id = (e.escalation ->> 'handoff_id')::uuid
        and e.key in ('session.escalated', 'escalation.reminded'))`,
  happened: sql`
    case when e.id is null then '{}' else app.what_happened(e, person.id) end`,
  opening: sql`
    (select o.title from events o join deliveries f on f.account_id = o.account_id and f.event_id = o.id
      where o.account_id = d.account_id and split_part(o.link, '?pickup', 1) = split_part(e.link, '?pickup', 1)
        and e.key in (${conversations}) and o.key in (${conversations}) and d.channel = 'email' and f.channel = 'email'
        and f.recipient is not distinct from d.recipient and f.config_id is not distinct from d.config_id
        and f.state in ('pending', 'retrying', 'delivered') and (f.created_at, f.id) <= (d.created_at, d.id)
      order by f.created_at, f.id limit 1)`,
  is_old: sql`d.created_at < app.now() - interval '1 day'`,
}

/**
 * Select a ClaimedDelivery for each row of `claimed`, a query of leased `deliveries` or the name of one.
 */
export const selectClaimed = (claimed: RawBuilder<unknown>) => sql`
  select ${listColumns(ClaimedDelivery, { from: 'd', computed })}
    from ${claimed} d
    join accounts a on a.id = d.account_id
    left join notification_configs c on c.account_id = d.account_id and c.id = d.config_id
    left join events e on e.account_id = d.account_id and e.id = d.event_id
    left join approvals p on p.account_id = d.account_id and p.id = (e.approval ->> 'approval_id')::uuid
    left join users decider on decider.account_id = p.account_id and decider.id = p.decided_by
    left join webhooks h on h.account_id = d.account_id and h.id = d.webhook_id
    left join users sender on sender.account_id = d.account_id and sender.id = coalesce(e.caused_by, e.actor_id)
    left join users person on person.account_id = d.account_id and person.id = d.user_id and person.is_active
    left join users author on author.account_id = d.account_id and author.id = c.set_up_by`
