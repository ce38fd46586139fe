import type { Released } from '#rules/audience.ts'
import { type Html, html, toHtml } from '#rules/text/html.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { removeLinks, toPlainName } from '#rules/text/plain-name.ts'
import { type Bars, renderBars, writeBarsAsText } from './bars.ts'
import { type Brand, darkBackground, lightBackground, serviceName, toReadableColours } from './brand.ts'

export interface Fact extends LabelledText {
  url?: string
}

/** The content of an e-mail in plain text, and at most two links. The subject is not repeated in the body. */
export interface EmailContent {
  subject: string
  paragraphs: string[]
  /** Short texts, which are shown as a table. A text with an address is a link. */
  facts?: readonly Fact[]
  bars?: readonly Bars[]
  /** Long texts, each under its label. */
  sections?: readonly LabelledText[]
  /** Whether the first fact is shown in red. */
  isUrgent?: boolean
  link?: { label: string; url: string }
  secondLink?: { label: string; url: string }
}

/**
 * Whose e-mail it is, why the recipient gets it, and how to stop such e-mails: with a link, or a sentence
 * where there is none.
 */
export interface EmailFrame {
  brand: Brand
  reason: string
  stop: { label: string; url: string } | string
}

const maxSubjectLength = 300

/**
 * Return a subject in which users' texts can be neither links nor headers: one line of at most 300
 * characters.
 */
function toSubject(text: string): string {
  return Array.from(removeLinks(text)).slice(0, maxSubjectLength).join('')
}

const colours = { text: '#111827', muted: '#4b5563', urgent: '#b91c1c' }
const darkColours = { text: '#f3f4f6', muted: '#9ca3af', urgent: '#fca5a5' }
const font = 'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
const textStyle = 'margin:0 0 16px;white-space:pre-line;overflow-wrap:anywhere'

/**
 * Render the HTML and the text part of an e-mail. Users' texts are escaped. The subject becomes one line of
 * at most 300 characters without links.
 */
export function renderEmail(
  content: Released<EmailContent>,
  frame: Released<EmailFrame>,
): { subject: string; html: string; text: string } {
  const subject = toSubject(content.subject)
  return { subject, html: renderHtml(content, subject, frame), text: renderText(content, frame) }
}

function renderHtml(content: EmailContent, subject: string, frame: EmailFrame): string {
  const { paragraphs, facts = [], bars = [], sections = [], isUrgent = false, link, secondLink } = content
  const { light, dark } = toReadableColours(frame.brand.colour)
  const main = [
    renderHeader(frame.brand, light),
    facts.length > 0 && renderFacts(facts, isUrgent),
    bars.map((chart) => renderBars(chart, light)),
    sections.map(renderSection),
    paragraphs.map((text) => html`<p style="${textStyle}">${text}</p>`),
    link && renderButton(link, light),
    secondLink && renderButton(secondLink, light),
    renderFooter(frame),
  ]
  const page = `margin:0;padding:0;background:${lightBackground};color:${colours.text}`
  // Some mail programs drop the style of the body, so the first element has its own.
  const box = `max-width:600px;margin:0 auto;padding:24px 16px;${font};color:${colours.text}`
  return String(
    html`<!doctype html><html lang="en"><head>${renderHead(subject, dark)}</head><body class="page" style="${page}"><div class="text" role="main" style="${box}">${main}</div></body></html>`,
  )
}

/**
 * Render the head with the colours of dark mode. Programs that ignore them invert the light colours
 * themselves.
 */
function renderHead(subject: string, brandColour: string): Html {
  const { text, muted, urgent } = darkColours
  const rules = [
    `.page{background:${darkBackground}!important}`,
    `.page,.text{color:${text}!important}`,
    `.muted{color:${muted}!important}`,
    `.urgent{color:${urgent}!important}`,
    `.brand{color:${brandColour}!important;border-color:${brandColour}!important}`,
    `.button{background:${brandColour}!important;color:${darkBackground}!important}`,
    `.bar{background:${brandColour}!important}`,
  ]
  const style = `:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${rules.join('')}}`
  return html`<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>${toHtml(style)}</style><title>${subject}</title>`
}

/**
 * Return the name at the top. It always contains that of the service, because anybody can name an account as
 * they like.
 */
function nameSender({ accountName }: Brand): string {
  const name = accountName && toPlainName(accountName)
  return name ? `${name} via ${serviceName}` : serviceName
}

function renderHeader(brand: Brand, colour: string): Html {
  const style = `margin:0 0 24px;padding:0 0 8px;border-bottom:3px solid ${colour};color:${colour};font-size:16px;font-weight:600;overflow-wrap:anywhere`
  return html`<h1 class="brand" style="${style}">${nameSender(brand)}</h1>`
}

function renderButton({ label, url }: { label: string; url: string }, colour: string): Html {
  const style = `display:inline-block;padding:10px 18px;background:${colour};color:${lightBackground};text-decoration:none;border-radius:6px`
  return html`<p style="margin:24px 0"><a class="button" href="${url}" style="${style}">${label}</a></p>`
}

function renderFacts(facts: readonly Fact[], isUrgent: boolean): Html {
  const rows = facts.map(({ label, text, url }, index) => {
    const mark =
      isUrgent && index === 0
        ? html` class="urgent" style="color:${colours.urgent};font-weight:600;vertical-align:top;overflow-wrap:anywhere"`
        : html` style="vertical-align:top;overflow-wrap:anywhere"`
    return html`<tr><th class="muted" scope="row" style="padding:0 16px 0 0;text-align:left;vertical-align:top;font-weight:400;color:${colours.muted}">${label}</th><td${mark}>${url ? renderFactLink(text, url) : text}</td></tr>`
  })
  return html`<table style="margin:0 0 20px;border-collapse:collapse;font:inherit;color:inherit">${rows}</table>`
}

function renderFactLink(text: string, url: string): Html {
  return html`<a class="text" href="${url}" style="color:${colours.text}">${text}</a>`
}

function renderSection({ label, text }: LabelledText): Html {
  return html`<h2 style="margin:0 0 4px;font-size:16px">${label}</h2><p style="${textStyle}">${text}</p>`
}

function renderText(
  { paragraphs, facts = [], bars = [], sections = [], link, secondLink }: EmailContent,
  { brand, reason, stop }: EmailFrame,
): string {
  const blocks = [
    ...(facts.length > 0
      ? [facts.map(({ label, text, url }) => `${label}: ${text}${url ? `\n${url}` : ''}`).join('\n')]
      : []),
    ...bars.map(writeBarsAsText),
    ...sections.map(({ label, text }) => `${label}\n${text}`),
    ...paragraphs,
    ...[link, secondLink].flatMap((button) => (button ? [`${button.label}: ${button.url}`] : [])),
    // Mail programs take what follows this line for a signature:
    // https://www.rfc-editor.org/rfc/rfc3676#section-4.3
    `-- \n${nameSender(brand)}\n${reason}\n${typeof stop === 'string' ? stop : `${stop.label}: ${stop.url}`}`,
  ]
  return blocks.join('\n\n')
}

function renderFooter({ reason, stop }: EmailFrame): Html {
  const style = `margin:32px 0 0;font-size:13px;color:${colours.muted};overflow-wrap:anywhere`
  return html`<p class="muted" style="${style}">${reason}<br>${typeof stop === 'string' ? stop : renderFooterLink(stop)}</p>`
}

function renderFooterLink({ label, url }: { label: string; url: string }): Html {
  return html`<a class="muted" href="${url}" style="color:${colours.muted}">${label}</a>`
}

/**
 * The headers with which mail programs offer to unsubscribe with one click:
 * https://www.rfc-editor.org/rfc/rfc8058
 */
export function createUnsubscribeHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}
