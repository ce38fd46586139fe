import { clip } from '#rules/text/clip.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'

/** What an alert shows of an escalation, beside its title. The session itself has the complete texts. */
export interface EscalationDetails {
  urgency: 'low' | 'normal' | 'high' | 'critical'
  client_name: string | null
  psa_ticket_id: string | null
  reason: string
  summary: string
  what_was_tried: string
  next_steps: string
}

/** What later alerts of the same escalation show, as it was when the session was escalated. */
export interface StoredAlert {
  problem: string
  ticket_id: string | null
  details: EscalationDetails
}

/** Maximum length of a text of an alert, in characters. Each recipient has a notification with these texts. */
export const maxTextLength = 2000

/** Cut the texts to what an alert shows. */
export function toEscalationDetails(details: EscalationDetails): EscalationDetails {
  const { urgency, client_name, psa_ticket_id, reason, summary, what_was_tried, next_steps } = details
  const cut = (text: string) => clip(text.trim(), maxTextLength)
  return {
    urgency,
    client_name,
    psa_ticket_id,
    reason: cut(reason),
    summary: cut(summary),
    what_was_tried: cut(what_was_tried),
    next_steps: cut(next_steps),
  }
}

export interface AlertContent {
  facts: LabelledText[]
  sections: LabelledText[]
  isUrgent: boolean
}

/** Return the content of an alert's message. `problem` is the whole problem text. Empty texts and texts that the title shows are left out. */
export function toAlertContent(details: EscalationDetails, title: string, problem: string): AlertContent {
  const { urgency, client_name, psa_ticket_id, reason, summary, what_was_tried, next_steps } = details
  const facts = [
    { label: 'Urgency', text: urgency.charAt(0).toUpperCase() + urgency.slice(1) },
    { label: 'Client', text: client_name ?? '' },
    { label: 'Ticket', text: psa_ticket_id ? `#${psa_ticket_id}` : '' },
  ]
  const sections = [
    { label: 'Problem', text: isShownBy(title, problem) || problem === summary ? '' : problem },
    { label: 'Summary', text: isShownBy(title, summary) ? '' : summary },
    { label: 'Reason', text: reason },
    { label: 'What was tried', text: what_was_tried },
    { label: 'Next steps', text: next_steps },
  ]
  const hasText = ({ text }: LabelledText) => text.trim() !== ''
  return { facts: facts.filter(hasText), sections: sections.filter(hasText), isUrgent: urgency === 'critical' || urgency === 'high' }
}

/** Return whether a title shows the whole text. */
export function isShownBy(title: string, text: string): boolean {
  return title.includes(text.replace(/\s+/g, ' ').trim())
}
