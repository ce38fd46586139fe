import { html, raw } from 'hono/html'
import { deskScript, deskStyle } from './desk-assets.ts'
import { drawMessage, type Html } from './desk-chat.ts'
import { type Fault, modes, services } from './faults.ts'
import type { Call, DeskLists, DeskService } from './records.ts'

export interface DeskState extends DeskLists {
  clock: { now: string; offset_seconds: number }
  faults: Fault[]
  /** Whether a demo escalation can be made here. */
  demo: boolean
}

const titles: Record<DeskService, string> = {
  mail: 'Mail',
  chat: 'Chat',
  queue: 'Queue',
  ai: 'AI calls',
  psa: 'PSA calls',
  billing: 'Billing calls',
  analytics: 'Analytics',
  redirect: 'Followed redirects',
}

/** The desk as one page without anything from elsewhere; `nonce` lets its own script run. */
export function deskPage(state: DeskState, nonce: string): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width" /><title>Local desk</title><style>${raw(deskStyle)}</style></head>
<body>
<header><h1>Local desk</h1><nav>${Object.entries(titles).map(([service, title]) => html`<a href="#${service}">${title}</a>`)}</nav></header>
${levers(state)}
${section('mail', state.mail.map(drawMail))}
${section('chat', state.chat.map(drawChat))}
${section('queue', state.queue.length > 0 ? [drawQueue(state.queue)] : [])}
${section('ai', state.ai.map(drawCall))}
${section('psa', state.psa.map(drawPsa))}
${section('billing', state.billing.map(drawBilling))}
${section('analytics', state.analytics.map(drawCall))}
${
  state.redirect.length > 0
    ? section(
        'redirect',
        state.redirect.map((hit) => html`<article>${hit.service}: ${hit.method} ${hit.path}</article>`),
      )
    : ''
}
<script nonce="${nonce}">${raw(deskScript)}</script>
</body></html>`
}

function levers({ clock, faults, demo }: DeskState): Html {
  return html`<section>
<h2>Time</h2>
<div class="row"><time>${clock.now}</time><span>${clock.offset_seconds} s ahead</span>
${advance('30 s', 30)}${advance('2 min', 120)}${advance('10 min', 600)}${button('back to now', 'DELETE', '/desk/clock')}</div>
<h2>Faults</h2>
${faults.map((fault) => html`<p class="bad">${fault.service}: ${fault.mode}${fault.times ? html`, ${fault.times} more` : ''}</p>`)}
<form class="row" data-path="/desk/faults">${select('service', services)}${select('mode', modes)}
<input name="times" type="number" min="1" placeholder="times" /><input name="delay_ms" type="number" min="0" placeholder="delay in ms" />
<button>set</button>${button('lift all', 'DELETE', '/desk/faults')}</form>
${demo ? demoForm() : ''}
${billingForm()}
</section>`
}

function demoForm(): Html {
  return html`<h2>Demo escalation</h2>
<form class="row" data-path="/desk/demo/escalation">
<input name="email" type="email" placeholder="who escalates (e-mail)" /><input name="account_of" type="email" placeholder="or in whose account (e-mail)" /><input name="problem_summary" placeholder="problem" size="40" />
<input name="psa_ticket_id" placeholder="ticket" /><button>escalate</button></form>`
}

const plays = ['subscribe', 'change_price', 'past_due', 'paid', 'unpaid', 'canceled'] as const

function billingForm(): Html {
  return html`<h2>Subscription</h2>
<form class="row" data-path="/desk/billing/events"><input name="email" type="email" required placeholder="whose account (e-mail)" />${select('action', plays)}
<input name="price" placeholder="price_local_pro_monthly" /><select name="keep"><option value="">deliver the event</option><option value="true">keep it for later</option></select>
<button>play</button></form>`
}

function section(service: DeskService, items: Html[]): Html {
  return html`<section id="${service}"><h2>${titles[service]} (${items.length > 0 ? 'newest first' : 'nothing yet'})</h2>
${items.length > 0 ? button('empty', 'DELETE', `/desk/${service}`) : ''}${items}</section>`
}

function drawMail(mail: DeskState['mail'][number]): Html {
  // Scripts and forms of a mail do nothing; its links open in a tab of their own.
  const sandbox = 'allow-popups allow-popups-to-escape-sandbox'
  const source = `<base target="_blank">${mail.html}`
  const body = mail.html ? html`<iframe sandbox="${sandbox}" loading="lazy" srcdoc="${source}" title="Mail"></iframe>` : ''
  return html`<article><b>${mail.subject}</b> <time>${mail.at}</time><div class="small">${mail.from} to ${mail.to.join(', ')}</div>
${body}${mail.text ? html`<details><summary>Text</summary><pre>${mail.text}</pre></details>` : ''}</article>`
}

function drawChat(hit: DeskState['chat'][number]): Html {
  return html`<article><div class="small">Tool ${hit.tool} ${hit.path} <time>${hit.at}</time> ${hit.accepted ? '' : html`<b class="bad">refused</b>`}</div>
${drawMessage(hit.tool, hit.body)}</article>`
}

function drawQueue(messages: DeskState['queue']): Html {
  const rows = messages.map(
    (message) => html`<tr><td>${message.state}${message.last_error ? html`<div class="bad">${message.last_error}</div>` : ''}</td>
<td><time>${message.due_at}</time></td><td>${message.attempts}</td><td>${message.url}<pre>${JSON.stringify(message.body)}</pre></td></tr>`,
  )
  return html`<table><thead><tr><th>State</th><th>Due</th><th>Attempts</th><th>Message</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** An event has a way to be sent again, in whatever order. */
function drawBilling(call: Call): Html {
  const id = (call.request as { object?: string; id?: string } | null)?.object === 'event' ? (call.request as { id: string }).id : null
  return html`${drawCall(call)}${id ? button('send again', 'POST', `/desk/billing/events/${id}/resend`) : ''}`
}

/** A note that was pushed shows what it says. */
function drawPsa(call: Call): Html {
  const [given] = [call.request].flat() as ({ text?: string; note_html?: string } | null)[]
  const note = call.method === 'POST' && call.status === 201 ? (given?.text ?? given?.note_html?.replaceAll('<br>', '\n')) : undefined
  return html`${drawCall(call)}${note ? html`<article class="message"><b>Note</b><pre>${note}</pre></article>` : ''}`
}

function drawCall(call: Call): Html {
  return html`<article><b>${call.method} ${call.path}</b> ${call.status} <time>${call.at}</time>
<details><summary>Request and answer</summary><pre>${JSON.stringify(call.request, null, 2)}</pre><pre>${JSON.stringify(call.response, null, 2)}</pre></details></article>`
}

function advance(label: string, seconds: number): Html {
  return button(`+ ${label}`, 'POST', '/desk/clock', { advance_seconds: seconds })
}

function button(label: string, method: string, path: string, body?: object): Html {
  return html`<button type="button" data-method="${method}" data-path="${path}" data-body="${body ? JSON.stringify(body) : ''}">${label}</button>`
}

function select(name: string, options: readonly string[]): Html {
  return html`<select name="${name}">${options.map((option) => html`<option>${option}</option>`)}</select>`
}
