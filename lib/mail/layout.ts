import { escapeHtml } from '../text/html.ts'

/** The content of an e-mail: paragraphs of plain text and at most one link. */
export interface EmailContent {
  subject: string
  paragraphs: string[]
  link?: { label: string; url: string }
}

/** Render the HTML and the text part of an e-mail. Users' texts are escaped. The subject becomes one line of at most 300 characters. */
export function renderEmail({ subject, paragraphs, link }: EmailContent): { subject: string; html: string; text: string } {
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px;white-space:pre-line">${escapeHtml(text)}</p>`).join('')
  const style = 'display:inline-block;padding:10px 18px;background:#1d4ed8;color:#ffffff;text-decoration:none;border-radius:6px'
  const button = link ? `<p style="margin:24px 0"><a href="${escapeHtml(link.url)}" style="${style}">${escapeHtml(link.label)}</a></p>` : ''
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body style="margin:0;padding:32px;font:16px/1.5 system-ui,sans-serif;color:#111827"><h1 style="margin:0 0 16px;font-size:20px">${escapeHtml(subject)}</h1>${body}${button}</body></html>`
  const text = [subject, '', ...paragraphs.flatMap((paragraph) => [paragraph, '']), ...(link ? [`${link.label}: ${link.url}`] : [])].join(
    '\n',
  )
  // A line break in a subject would start another header.
  return { subject: Array.from(subject.replace(/\s+/g, ' ')).slice(0, 300).join(''), html, text }
}
