import type { Released } from '#rules/audience.ts'
import { type Html, html, toHtml } from '#rules/text/html.ts'
import type { LabelledText } from '#rules/text/labelled-text.ts'
import { removeLinks, toPlainName } from '#rules/text/plain-name.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'
import { type Bars, renderBars, writeBarsAsText } from './bars.ts'
import { type Brand, darkBackground, lightBackground, serviceName, toReadableColours } from './brand.ts'

export interface Fact extends LabelledText {
  url?: string
}

/** The content of an e-mail in plain text, and at most two links. The subject is not repeated in the body. */
export interface EmailContent {
  subject: string
  /** What has happened, where the subject is that of the conversation. */
  headline?: string
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
// Outlook takes the first font or its own, and gives none to the cells of a table.
const font =
  'font-family:Segoe UI,-apple-system,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5'
const textStyle = `margin:0 0 16px;${font};word-break:break-word`
// Mail programs drop the direction of a style, so each block with a text has the attribute.
const auto = html`dir="auto"`

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
  const { headline, paragraphs, facts = [], bars = [], sections = [], isUrgent = false } = content
  const { link, secondLink } = content
  const { light, dark } = toReadableColours(frame.brand.colour)
  const main = [
    renderHeader(frame.brand, light),
    headline !== undefined &&
      html`<p ${auto} style="${textStyle};font-weight:600">${renderLines(headline)}</p>`,
    facts.length > 0 && renderFacts(facts, isUrgent),
    bars.map((chart) => renderBars(chart, light, font)),
    sections.map(renderSection),
    paragraphs.map((text) => html`<p ${auto} style="${textStyle}">${renderLines(text)}</p>`),
    link && renderButton(link, light),
    secondLink && renderButton(secondLink, light),
    renderFooter(frame),
  ]
  const page = `margin:0;padding:0;background-color:${lightBackground};color:${colours.text}`
  // Some mail programs drop the style, language and direction of the page, so the first element has its own.
  const box = `max-width:600px;margin:0 auto;padding:24px 16px;${font};color:${colours.text}`
  return String(
    html`<!doctype html><html lang="en"><head>${renderHead(subject, dark)}</head><body class="page" style="${page}"><div class="text" role="main" lang="en" dir="ltr" style="${box}">${main}</div></body></html>`,
  )
}

/**
 * Render the head with the colours of dark mode. Programs that ignore them invert the light colours
 * themselves.
 */
function renderHead(subject: string, brandColour: string): Html {
  const { text, muted, urgent } = darkColours
  const rules = [
    `.page{background-color:${darkBackground}!important}`,
    `.page,.text{color:${text}!important}`,
    `.muted{color:${muted}!important}`,
    `.urgent{color:${urgent}!important}`,
    `.brand{color:${brandColour}!important;border-color:${brandColour}!important}`,
    `.button,.bar{background-color:${brandColour}!important}`,
    `.button-label{color:${darkBackground}!important}`,
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
  return name ? sentence`${name} via ${serviceName}` : serviceName
}

function renderHeader(brand: Brand, colour: string): Html {
  const style = `margin:0 0 24px;padding:0 0 8px;border-bottom:3px solid ${colour};color:${colour};${font};font-weight:600;word-break:break-word`
  return html`<h1 class="brand" ${auto} style="${style}">${nameSender(brand)}</h1>`
}

/**
 * Render a button as a cell of a table. Outlook ignores the padding of a link, but takes that of a cell from a
 * property of its own; elsewhere the padding is in the link, so that all of the button can be clicked.
 */
function renderButton({ label, url }: { label: string; url: string }, colour: string): Html {
  const cell = `background-color:${colour};border-radius:6px;mso-padding-alt:10px 18px`
  const style = `display:inline-block;padding:10px 18px;mso-padding-alt:0;color:${lightBackground};${font};text-decoration:none`
  const anchor = html`<a class="button-label" href="${url}" style="${style}">${label}</a>`
  return html`<table role="presentation" border="0" cellpadding="0" cellspacing="0" style="margin:24px 0"><tr><td class="button" ${auto} bgcolor="${colour}" style="${cell}">${anchor}</td></tr></table>`
}

/** Render the lines of a text. Outlook ignores styles that keep line feeds. */
function renderLines(text: string): Html {
  const [first = '', ...lines] = text.split(/\r\n?|\n/)
  return html`${first}${lines.map((line) => html`<br>${line}`)}`
}

function renderFacts(facts: readonly Fact[], isUrgent: boolean): Html {
  const rows = facts.map(({ label, text, url }, index) => {
    const isMarked = isUrgent && index === 0
    const look = isMarked ? `color:${colours.urgent};font-weight:600` : `color:${colours.text}`
    const cell = `${look};${font};vertical-align:top;word-break:break-word`
    const labelStyle = `padding:0 16px 0 0;text-align:left;vertical-align:top;${font};font-weight:400;color:${colours.muted}`
    return html`<tr><th class="muted" ${auto} scope="row" style="${labelStyle}">${label}</th><td class="${isMarked ? 'urgent' : 'text'}" ${auto} style="${cell}">${url ? renderFactLink(text, url) : renderLines(text)}</td></tr>`
  })
  return html`<table style="margin:0 0 20px;border-collapse:collapse">${rows}</table>`
}

function renderFactLink(text: string, url: string): Html {
  return html`<a class="text" href="${url}" style="color:${colours.text}">${renderLines(text)}</a>`
}

function renderSection({ label, text }: LabelledText): Html {
  return html`<h2 ${auto} style="margin:0 0 4px;${font};font-weight:600">${label}</h2><p ${auto} style="${textStyle}">${renderLines(text)}</p>`
}

function renderText(
  { headline, paragraphs, facts = [], bars = [], sections = [], link, secondLink }: EmailContent,
  { brand, reason, stop }: EmailFrame,
): string {
  const blocks = [
    ...(headline === undefined ? [] : [headline]),
    ...(facts.length > 0
      ? [facts.map(({ label, text, url }) => `${label}: ${isolate(text)}${url ? `\n${url}` : ''}`).join('\n')]
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
  const style = `margin:32px 0 0;${font};font-size:13px;color:${colours.muted};word-break:break-word`
  return html`<p class="muted" ${auto} style="${style}">${reason}<br>${typeof stop === 'string' ? stop : renderFooterLink(stop)}</p>`
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
