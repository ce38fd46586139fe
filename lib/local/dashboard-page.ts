import { html, raw } from 'hono/html'
import { dashboardScript, pageStyle } from './dashboard-assets.ts'
import { type Html, renderMessage } from './dashboard-chat.ts'
import { type Fault, modes, services } from './faults.ts'
import type { RecordedCall, RecordedService, RecordLists } from './records.ts'
import type { CurrentCode } from './totp-codes.ts'

/** What the dashboard shows. The same object is its JSON response. */
export interface DashboardState extends RecordLists {
  clock: { now: string; offset_seconds: number }
  faults: Fault[]
  /** Whether the page offers the demo escalation. */
  demo: boolean
  /** The current codes of authenticator apps. */
  totp: CurrentCode[]
}

const titles: Record<RecordedService, string> = {
  mail: 'E-mails',
  chat: 'Chat',
  queue: 'Queue',
  ai: 'AI calls',
  psa: 'PSA calls',
  billing: 'Billing calls',
  analytics: 'Analytics',
  redirect: 'Followed redirects',
}

/** Render the dashboard as one page that loads nothing from other origins. `nonce` allows its own script to run. */
export function renderDashboard(state: DashboardState, nonce: string): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Local dashboard</title><style>${raw(pageStyle)}</style></head>
<body>
<header><h1>Local dashboard</h1><nav>${Object.entries(titles).map(([service, title]) => html`<a href="#${service}">${title}</a>`)}</nav></header>
${renderControls(state)}
${renderSection('mail', state.mail.map(renderMail))}
${renderSection('chat', state.chat.map(renderChat))}
${renderSection('queue', state.queue.length > 0 ? [renderQueue(state.queue)] : [])}
${renderSection('ai', state.ai.map(renderCall))}
${renderSection('psa', state.psa.map(renderPsa))}
${renderSection('billing', state.billing.map(renderBilling))}
${renderSection('analytics', state.analytics.map(renderCall))}
${
  state.redirect.length > 0
    ? renderSection(
        'redirect',
        state.redirect.map((request) => html`<article>${request.service}: ${request.method} ${request.path}</article>`),
      )
    : ''
}
<script nonce="${nonce}">${raw(dashboardScript)}</script>
</body></html>`
}

function renderControls({ clock, faults, demo, totp }: DashboardState): Html {
  return html`<section>
<h2>Time</h2>
<div class="row"><time>${clock.now}</time><span>${clock.offset_seconds} s ahead</span>
${renderAdvanceButton('30 s', 30)}${renderAdvanceButton('2 min', 120)}${renderAdvanceButton('10 min', 600)}${renderButton('back to now', 'DELETE', '/desk/clock')}</div>
<h2>Faults</h2>
${faults.map((fault) => html`<p class="bad">${fault.service}: ${fault.mode}${fault.times ? html`, ${fault.times} more` : ''}</p>`)}
<form class="row" data-path="/desk/faults">${renderSelect('service', services)}${renderSelect('mode', modes)}
<input name="times" type="number" min="1" placeholder="times" /><input name="delay_ms" type="number" min="0" placeholder="delay in ms" />
<button>set</button>${renderButton('clear all', 'DELETE', '/desk/faults')}</form>
${totp.length > 0 ? html`<h2>Codes of authenticator apps</h2><table>${totp.map(({ email, code }) => html`<tr><td>${email}</td><td><b>${code}</b></td></tr>`)}</table>` : ''}
${demo ? renderDemoForm() : ''}
${renderBillingForm()}
</section>`
}

function renderDemoForm(): Html {
  return html`<h2>Demo escalation</h2>
<form class="row" data-path="/desk/demo/escalation">
<input name="email" type="email" placeholder="e-mail of the engineer" /><input name="account_of" type="email" placeholder="or e-mail of a user of the account" /><input name="problem_summary" placeholder="problem" size="40" />
<input name="psa_ticket_id" placeholder="ticket" /><button>escalate</button></form>`
}

const billingActions = ['subscribe', 'change_price', 'past_due', 'paid', 'unpaid', 'canceled'] as const

function renderBillingForm(): Html {
  return html`<h2>Subscription</h2>
<form class="row" data-path="/desk/billing/events"><input name="email" type="email" required placeholder="e-mail of a user of the account" />${renderSelect('action', billingActions)}
<input name="price" placeholder="price_local_pro_monthly" /><select name="skipDelivery"><option value="">deliver the event</option><option value="true">do not deliver it yet</option></select>
<button>send</button></form>`
}

function renderSection(service: RecordedService, items: Html[]): Html {
  return html`<section id="${service}"><h2>${titles[service]} (${items.length > 0 ? 'newest first' : 'nothing yet'})</h2>
${items.length > 0 ? renderButton('clear', 'DELETE', `/desk/${service}`) : ''}${items}</section>`
}

function renderMail(mail: DashboardState['mail'][number]): Html {
  // The sandbox blocks scripts and forms of an e-mail. Its links open in a new tab.
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox'
  const source = `<base target="_blank">${mail.html}`
  const body = mail.html ? html`<iframe sandbox="${sandbox}" loading="lazy" srcdoc="${source}" title="E-mail"></iframe>` : ''
  return html`<article><b>${mail.subject}</b> <time>${mail.at}</time><div class="small">${mail.from} to ${mail.to.join(', ')}</div>${Object.entries(mail.headers).map(([name, value]) => html`<div class="small">${name}: ${value}</div>`)}
${body}${mail.text ? html`<details><summary>Text</summary><pre>${mail.text}</pre></details>` : ''}</article>`
}

function renderChat(message: DashboardState['chat'][number]): Html {
  return html`<article><div class="small">Tool ${message.tool} ${message.path} <time>${message.at}</time> ${message.accepted ? '' : html`<b class="bad">refused</b>`}</div>
${renderMessage(message.tool, message.body)}</article>`
}

function renderQueue(messages: DashboardState['queue']): Html {
  const rows = messages.map(
    (message) => html`<tr><td>${message.state}${message.last_error ? html`<div class="bad">${message.last_error}</div>` : ''}</td>
<td><time>${message.due_at}</time></td><td>${message.attempts}</td><td>${message.url}<pre>${JSON.stringify(message.body)}</pre></td></tr>`,
  )
  return html`<table><thead><tr><th>State</th><th>Due</th><th>Attempts</th><th>Message</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** Render a billing call. An event gets a button that sends it again. */
function renderBilling(call: RecordedCall): Html {
  const request = call.request as { object?: string; id?: string } | null
  const eventId = request?.object === 'event' ? request.id : undefined
  return html`${renderCall(call)}${eventId ? renderButton('send again', 'POST', `/desk/billing/events/${eventId}/resend`) : ''}`
}

/** Render a PSA call. The text of a created note is shown below it. */
function renderPsa(call: RecordedCall): Html {
  // HaloPSA takes an array with one note, ConnectWise the note itself.
  const [request] = [call.request].flat() as ({ text?: string; note_html?: string } | null)[]
  const isNewNote = call.method === 'POST' && call.status === 201
  const note = isNewNote ? (request?.text ?? request?.note_html?.replaceAll('<br>', '\n')) : undefined
  return html`${renderCall(call)}${note ? html`<article class="message"><b>Note</b><pre>${note}</pre></article>` : ''}`
}

function renderCall(call: RecordedCall): Html {
  return html`<article><b>${call.method} ${call.path}</b> ${call.status} <time>${call.at}</time>
<details><summary>Request and response</summary><pre>${JSON.stringify(call.request, null, 2)}</pre><pre>${JSON.stringify(call.response, null, 2)}</pre></details></article>`
}

function renderAdvanceButton(label: string, seconds: number): Html {
  return renderButton(`+ ${label}`, 'POST', '/desk/clock', { advance_seconds: seconds })
}

function renderButton(label: string, method: string, path: string, body?: object): Html {
  return html`<button type="button" data-method="${method}" data-path="${path}" data-body="${body ? JSON.stringify(body) : ''}">${label}</button>`
}

function renderSelect(name: string, options: readonly string[]): Html {
  return html`<select name="${name}">${options.map((option) => html`<option>${option}</option>`)}</select>`
}
