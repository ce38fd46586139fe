import type { LabelledText } from '../chat/chat.ts'
import { escapeHtml } from '../text/html.ts'
import { removeLinks } from '../text/plain-name.ts'

/** The content of an e-mail in plain text, and at most one link. The subject is not repeated in the body. */
export interface EmailContent {
  subject: string
  paragraphs: string[]
  /** Short texts, which are shown as a table. */
  facts?: readonly LabelledText[]
  /** Long texts, each under its label. */
  sections?: readonly LabelledText[]
  /** Whether the first fact is shown in red. */
  isUrgent?: boolean
  link?: { label: string; url: string }
}

/** The end of an e-mail to somebody who is no member: why they get it, and the link that unsubscribes them. */
export interface EmailFooter {
  reason: string
  unsubscribeUrl: string
}

const maxSubjectLength = 300

/** Return a subject in which users' texts can be neither links nor headers: one line of at most 300 characters. */
function toSubject(text: string): string {
  return Array.from(removeLinks(text)).slice(0, maxSubjectLength).join('')
}

// Colours for mail programs in dark mode. Programs that ignore this style invert the light colours themselves.
const darkStyle =
  '@media (prefers-color-scheme:dark){body{background:#111827!important;color:#f3f4f6!important}.muted{color:#9ca3af!important}.urgent{color:#fca5a5!important}.button{background:#3b82f6!important;color:#0b1220!important}}'
const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><style>${darkStyle}</style>`
const bodyStyle = 'margin:0 auto;padding:24px 16px;max-width:600px;font:16px/1.5 system-ui,sans-serif;background:#ffffff;color:#111827'
const textStyle = 'margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere'

/**
 * Render the HTML and the text part of an e-mail. Users' texts are escaped. The subject becomes one line of at most 300 characters without
 * links.
 */
export function renderEmail(content: EmailContent, footer?: EmailFooter): { subject: string; html: string; text: string } {
  const subject = toSubject(content.subject)
  return { subject, html: renderHtml(content, subject, footer), text: renderText(content, footer) }
}

function renderHtml(
  { paragraphs, facts = [], sections = [], isUrgent = false, link }: EmailContent,
  subject: string,
  footer?: EmailFooter,
): string {
  const body = paragraphs.map((text) => `<p style="${textStyle}">${escapeHtml(text)}</p>`).join('')
  const buttonStyle = 'display:inline-block;padding:10px 18px;background:#1d4ed8;color:#ffffff;text-decoration:none;border-radius:6px'
  const button = link
    ? `<p style="margin:24px 0"><a class="button" href="${escapeHtml(link.url)}" style="${buttonStyle}">${escapeHtml(link.label)}</a></p>`
    : ''
  const alert = renderFacts(facts, isUrgent) + sections.map(renderSection).join('')
  return `<!doctype html><html lang="en"><head>${head}<title>${escapeHtml(subject)}</title></head><body style="${bodyStyle}">${alert}${body}${button}${footer ? renderFooter(footer) : ''}</body></html>`
}

function renderFacts(facts: readonly LabelledText[], isUrgent: boolean): string {
  if (facts.length === 0) return ''
  const rows = facts.map(({ label, text }, index) => {
    const mark =
      isUrgent && index === 0
        ? ' class="urgent" style="color:#b91c1c;font-weight:600;overflow-wrap:anywhere"'
        : ' style="overflow-wrap:anywhere"'
    return `<tr><th class="muted" scope="row" style="padding:0 16px 0 0;text-align:left;vertical-align:top;font-weight:400;color:#4b5563">${escapeHtml(label)}</th><td${mark}>${escapeHtml(text)}</td></tr>`
  })
  return `<table style="margin:0 0 20px;border-collapse:collapse">${rows.join('')}</table>`
}

function renderSection({ label, text }: LabelledText): string {
  return `<h2 style="margin:0 0 4px;font-size:16px">${escapeHtml(label)}</h2><p style="${textStyle}">${escapeHtml(text)}</p>`
}

function renderText({ paragraphs, facts = [], sections = [], link }: EmailContent, footer?: EmailFooter): string {
  const blocks = [
    ...(facts.length > 0 ? [facts.map(({ label, text }) => `${label}: ${text}`).join('\n')] : []),
    ...sections.map(({ label, text }) => `${label}\n${text}`),
    ...paragraphs,
    ...(link ? [`${link.label}: ${link.url}`] : []),
    ...(footer ? [`${footer.reason}\n${unsubscribeLabel}: ${footer.unsubscribeUrl}`] : []),
  ]
  return blocks.join('\n\n')
}

const unsubscribeLabel = 'Never send me e-mails again'

function renderFooter({ reason, unsubscribeUrl }: EmailFooter): string {
  const link = `<a class="muted" href="${escapeHtml(unsubscribeUrl)}" style="color:#4b5563">${unsubscribeLabel}</a>`
  return `<p class="muted" style="margin:32px 0 0;font-size:13px;color:#4b5563">${escapeHtml(reason)}<br>${link}</p>`
}

/** The headers with which mail programs offer to unsubscribe with one click: https://www.rfc-editor.org/rfc/rfc8058 */
export function createUnsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
