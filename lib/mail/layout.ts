import { escapeHtml } from '../text/html.ts'
import { removeLinks } from '../text/plain-name.ts'

/** The content of an e-mail: paragraphs of plain text and at most one link. */
export interface EmailContent {
  subject: string
  paragraphs: string[]
  link?: { label: string; url: string }
}

/** The end of an e-mail to somebody who has no account: why they get it, and the link that ends all e-mails. */
export interface EmailFooter {
  reason: string
  unsubscribeUrl: string
}

const maxSubjectLength = 300

/** Return a subject in which users' texts can be neither links nor headers: one line of at most 300 characters. */
function toSubject(text: string): string {
  return Array.from(removeLinks(text)).slice(0, maxSubjectLength).join('')
}

/**
 * Render the HTML and the text part of an e-mail. Users' texts are escaped. The subject becomes one line of at most 300 characters without
 * links.
 */
export function renderEmail(content: EmailContent, footer?: EmailFooter): { subject: string; html: string; text: string } {
  const { paragraphs, link } = content
  const subject = toSubject(content.subject)
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px;white-space:pre-line">${escapeHtml(text)}</p>`).join('')
  const style = 'display:inline-block;padding:10px 18px;background:#1d4ed8;color:#ffffff;text-decoration:none;border-radius:6px'
  const button = link ? `<p style="margin:24px 0"><a href="${escapeHtml(link.url)}" style="${style}">${escapeHtml(link.label)}</a></p>` : ''
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="margin:0;padding:32px;font:16px/1.5 system-ui,sans-serif;color:#111827"><h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>${body}${button}${footer ? renderFooter(footer) : ''}</body></html>`
  const lines = [subject, '', ...paragraphs.flatMap((paragraph) => [paragraph, '']), ...(link ? [`${link.label}: ${link.url}`] : [])]
  if (footer) lines.push('', footer.reason, `${unsubscribeLabel}: ${footer.unsubscribeUrl}`)
  return { subject, html, text: lines.join('\n') }
}

const unsubscribeLabel = 'Never send me e-mails again'

function renderFooter({ reason, unsubscribeUrl }: EmailFooter): string {
  const link = `<a href="${escapeHtml(unsubscribeUrl)}">${unsubscribeLabel}</a>`
  return `<p style="margin:32px 0 0;font-size:13px;color:#4b5563">${escapeHtml(reason)}<br>${link}</p>`
}

/** The headers with which mail programs offer to unsubscribe with one click: https://www.rfc-editor.org/rfc/rfc8058 */
export function createUnsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
