import { nameMatter } from '#rules/events/conversations.ts'
import type { ClaimedDelivery } from './claimed-deliveries.ts'

/**
 * What the e-mails of a purpose are about: null where no other e-mail is about the same. One about the security
 * of a sign-in stands alone, so that it is not overlooked below an older one.
 */
const matters: Record<
  NonNullable<ClaimedDelivery['purpose']>,
  (delivery: ClaimedDelivery) => string | null
> = {
  verify_email: () => null,
  reset_password: () => null,
  verify_phone: () => null,
  change_email: () => null,
  email_change_requested: ({ user_id }) => `email-change.${user_id}`,
  email_changed: ({ user_id }) => `email-change.${user_id}`,
  identity_linked: () => null,
  identity_unlinked: () => null,
  password_changed: () => null,
  chat_user_linked: () => null,
  phone_number_added: () => null,
  program_added: () => null,
  second_factor_added: () => null,
  second_factor_removed: () => null,
  sign_in_without_sso: () => null,
  invite: ({ invite_id }) => `invite.${invite_id}`,
  sales_lead: ({ sales_lead_id }) => `lead.${sales_lead_id}`,
  // An answer of the platform joins the receipt of the author.
  feedback: ({ feedback_id }) => `feedback.${feedback_id}`,
  feedback_receipt: ({ feedback_id }) => `feedback.${feedback_id}`,
  webhook_disabled: ({ webhook_id }) => `webhook.${webhook_id}`,
  account_deletion_requested: ({ account_id }) => `account-deletion.${account_id}`,
  account_deletion_cancelled: ({ account_id }) => `account-deletion.${account_id}`,
  // One e-mail for each.
  export_ready: () => null,
  export_failed: () => null,
  digest: () => null,
  weekly_report: () => null,
}

/** Return what the e-mails of a delivery are about. */
export function findMatter(delivery: ClaimedDelivery): string | null {
  const { purpose, event_key, link } = delivery
  if (purpose !== null) return matters[purpose](delivery)
  return event_key === null ? null : nameMatter(event_key, link)
}
