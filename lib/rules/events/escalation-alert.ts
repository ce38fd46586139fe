import type { Urgency } from '#rules/ai/session-values.ts'
import { removeMarkup } from '#rules/knowledge/derive-title.ts'
import { clip } from '#rules/text/clip.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'

/**
 * What an alert shows of an escalation, or of a case that monitoring has opened, beside its title. The session
 * itself has the complete texts.
 */
export interface EscalationDetails {
  /** With which it is claimed. A case of monitoring has none. */
  handoff_id?: string
  urgency: Urgency
  client_name: string | null
  psa_ticket_id: string | null
  reason: string
  summary: string
  what_was_tried: string
  next_steps: string
  /** Where the ticketing system shows the ticket. */
  ticket_url?: string | null
  /** The suggested fixes with their outcomes, each in a line. */
  fixes?: string
  /** What was observed, each in a line. */
  known?: string
  /** How long it waits and who was told before, when the alert is a reminder. */
  reminder?: string
  /** The model's assessment in markdown, when the alert is about it. Its messages show the start as plain text. */
  assessment?: string
}

/** What later alerts of the same escalation show, as it was when the session was escalated. */
export interface StoredAlert {
  problem: string
  ticket_id: string | null
  details: EscalationDetails
}

/**
 * Maximum length of a text of an alert, in characters. Each recipient has a notification with these texts.
 */
export const maxTextLength = 2000

/** Cut the texts to what an alert shows. */
export function toEscalationDetails(details: EscalationDetails): EscalationDetails {
  const {
    handoff_id,
    urgency,
    client_name,
    psa_ticket_id,
    ticket_url,
    reason,
    summary,
    what_was_tried,
    next_steps,
    fixes,
    known,
  } = details
  const cut = (text: string) => clip(text.trim(), maxTextLength)
  return {
    handoff_id: handoff_id || undefined,
    urgency,
    client_name,
    psa_ticket_id,
    ticket_url: ticket_url || undefined,
    fixes: fixes ? cut(fixes) : undefined,
    known: known ? cut(known) : undefined,
    reason: cut(reason),
    summary: cut(summary),
    what_was_tried: cut(what_was_tried),
    next_steps: cut(next_steps),
  }
}

/** A short text of an alert, with the address that it leads to. */
export interface AlertFact extends LabelledText {
  url?: string
}

export interface AlertContent {
  facts: AlertFact[]
  sections: LabelledText[]
  isUrgent: boolean
}

/** The names of the people of an escalation, when its alert is sent. */
export interface AlertPeople {
  target_name: string | null
  claimant_name: string | null
  on_call_names: readonly string[]
  acknowledger_name?: string | null
}

const nobody: AlertPeople = { target_name: null, claimant_name: null, on_call_names: [] }

/**
 * Return the content of an alert's message: what decides what to do first comes first. `problem` is the whole
 * problem text. Empty texts and texts that the title shows are left out.
 */
export function toAlertContent(
  details: EscalationDetails,
  title: string,
  problem: string,
  people = nobody,
): AlertContent {
  const { urgency, client_name, psa_ticket_id, ticket_url, reason, summary, what_was_tried, next_steps } =
    details
  const facts: AlertFact[] = [
    { label: 'Urgency', text: urgency.charAt(0).toUpperCase() + urgency.slice(1) },
    { label: 'For', text: people.target_name ?? '' },
    { label: 'Client', text: client_name ?? '' },
    {
      label: 'Ticket',
      text: psa_ticket_id ? sentence`#${psa_ticket_id}` : '',
      url: ticket_url || undefined,
    },
    people.claimant_name
      ? { label: 'Taken by', text: people.claimant_name }
      : { label: 'On call', text: people.on_call_names.map(isolate).join(', ') },
    { label: 'Acknowledged by', text: people.claimant_name ? '' : (people.acknowledger_name ?? '') },
  ]
  const sections = [
    { label: 'Reminder', text: people.claimant_name ? '' : (details.reminder ?? '') },
    { label: 'Assessment', text: details.assessment ?? '' },
    { label: 'Problem', text: isShownBy(title, problem) || problem === summary ? '' : problem },
    { label: 'Summary', text: isShownBy(title, summary) ? '' : summary },
    { label: 'Next steps', text: next_steps },
    { label: 'Reason', text: reason },
    { label: 'What was tried', text: what_was_tried },
    { label: 'Fixes', text: details.fixes ?? '' },
    { label: 'Known', text: details.known ?? '' },
  ]
  const hasText = ({ text }: LabelledText) => text.trim() !== ''
  return {
    facts: facts.filter(hasText),
    sections: sections.filter(hasText),
    isUrgent: !people.claimant_name && (urgency === 'critical' || urgency === 'high'),
  }
}

/** Return whether a title shows the whole text. */
export function isShownBy(title: string, text: string): boolean {
  return title.includes(text.replace(/\s+/g, ' ').trim())
}

const maxExcerptLength = 600

/** Return the start of an assessment in plain text, cut after a line or a sentence. */
export function toExcerpt(markdown: string): string {
  const lines = markdown
    .split('\n')
    .map((line) => `${/^\s*(?:[-*+]|\d{1,3}[.)])\s/.test(line) ? '• ' : ''}${removeMarkup(line)}`)
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  if (text.length <= maxExcerptLength) return text
  const start = text.slice(0, maxExcerptLength)
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('. ') + 1)
  return `${end > maxExcerptLength / 2 ? start.slice(0, end).trimEnd() : clip(start, maxExcerptLength - 1)} …`
}
