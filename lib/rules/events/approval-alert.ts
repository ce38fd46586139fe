import { redact } from '#rules/masking/redaction.ts'
import { writeLocalTimes } from '#rules/oncall/local-times.ts'
import type { RiskReason } from '#rules/scripts/schema.ts'
import { clip } from '#rules/text/clip.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'

/**
 * What the messages about a request for an approval show. Passwords and secrets are masked in it, whatever
 * the preferences are.
 */
export interface ApprovalAlert {
  approval_id: string
  facts: LabelledText[]
  sections: LabelledText[]
  /** Whether a text was cut: then nobody can approve by the message alone. */
  is_shortened?: true
}

/** A request, as its messages need it. */
export interface AlertedApproval {
  id: string
  kind: 'step' | 'script'
  subject: string
  risk: 'medium' | 'high' | null
  risk_reasons: readonly RiskReason[]
  comment: string | null
  expires_at: string
  /** The machine of a script, and its client; null for another request. */
  target: string | null
  client_name: string | null
}

const maxSubjectLength = 2000
const maxListLength = 1000
const maxReasons = 8
const allowedBy = { step: 'One answer to this step', script: 'This script at this step of the session' }

/** Write what a message shows of a request. `parameters` are the values of a script, without secret ones. */
export function toApprovalAlert(
  approval: AlertedApproval,
  context: {
    client_name: string | null
    ticket_number: string | null
    parameters: readonly LabelledText[]
    /** Those of the readers. */
    timezones: readonly string[]
  },
): ApprovalAlert {
  const { id, kind, subject, risk, risk_reasons, comment, expires_at, target } = approval
  const facts = [
    { label: 'Risk', text: risk ? risk.charAt(0).toUpperCase() + risk.slice(1) : '' },
    { label: 'Machine', text: target ?? '' },
    { label: 'Client of the machine', text: approval.client_name ?? '' },
    { label: 'Client', text: context.client_name ?? '' },
    { label: 'Ticket', text: context.ticket_number ? sentence`#${context.ticket_number}` : '' },
    { label: 'Allows', text: target !== null ? 'One run on this machine' : allowedBy[kind] },
    { label: 'Decide until', text: writeLocalTimes(expires_at, context.timezones) },
  ]
  const reasons = risk_reasons.slice(0, maxReasons).map(({ line, reason }) => `Line ${line}: ${reason}`)
  const parameters = context.parameters.map(({ label, text }) => `${label}: ${isolate(text)}`).join('\n')
  const sections = [
    { label: 'Comment', text: comment ?? '' },
    { label: 'Why this risk', text: reasons.join('\n') },
    { label: 'Parameters', text: clip(parameters, maxListLength) },
    { label: kind === 'script' ? 'Script' : 'Step', text: clip(subject, maxSubjectLength) },
  ]
  const hasText = ({ text }: LabelledText) => text.trim() !== ''
  const isShortened =
    reasons.length < risk_reasons.length ||
    clip(parameters, maxListLength) !== parameters ||
    clip(subject, maxSubjectLength) !== subject
  return redact(
    {
      approval_id: id,
      facts: facts.filter(hasText),
      sections: sections.filter(hasText),
      ...(isShortened ? { is_shortened: true as const } : {}),
    },
    'secrets',
  )
}

/** Return an alert as one text, for a message without a layout. */
export function toAlertText({ facts, sections }: ApprovalAlert): string {
  const lines = facts.map(({ label, text }) => `${label}: ${isolate(text)}`).join('\n')
  return [lines, ...sections.map(({ label, text }) => `${label}:\n${text}`)].join('\n\n')
}
