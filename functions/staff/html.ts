import { type Html, html } from '#rules/text/html.ts'
import { type OperationsStatus, ReplayedOutbox } from './status.ts'

/** Write the page on which staff sign in. `message` says why they have to. */
export function writeSignIn(message?: string): string {
  return writePage(html`
    ${message && html`<p role="alert">${message}</p>`}
    <form method="post" action="/admin/operations/sign-in">
      <p><label for="access_token">Access token of a super admin</label>
      <input id="access_token" name="access_token" type="password" size="50" required autocomplete="off" aria-describedby="help"></p>
      <p id="help">Sign in with <code>POST /api/v1/auth/login</code>. The token works for 15 minutes.</p>
      <button>Show the state of the service</button>
    </form>`)
}

interface StatusOptions {
  message: string | undefined
  /** Proves that a form is one of this page. */
  formToken: string
}

/** Write the state of the service, with a button per outbox whose waiting rows can be attempted now. */
export function writeStatus(status: OperationsStatus, { message, formToken }: StatusOptions): string {
  const { warnings, versions, schedules } = status
  return writePage(html`
    ${message && html`<p role="status">${message}</p>`}
    ${warnings.map((warning) => html`<p role="alert">${warning}</p>`)}
    <p>Service ${versions.service}, migration ${versions.migration}, PostgreSQL ${versions.postgresql}.
    <a href="/admin/operations">Reload</a></p>
    <form method="post" action="/admin/operations/sign-out"><button>Sign out</button></form>
    <h2>Dependencies</h2>
    ${writeTable(
      ['Dependency', 'State'],
      Object.entries(status.dependencies).map(([name, state]) => [name, writeState(state)]),
    )}
    <h2>Stored work</h2>
    ${writeTable(
      ['Kind', 'Open', 'Due', 'Oldest due', 'Replay'],
      status.backlogs.map(({ outbox, open, due, oldest_due_seconds }) => [
        outbox,
        String(open),
        String(due),
        writeDuration(oldest_due_seconds),
        writeReplay(outbox, formToken),
      ]),
    )}
    <h2>Maintenance schedules</h2>
    <p>${schedules.due === 0 ? 'None is due.' : `${schedules.due} due, the oldest for ${writeDuration(schedules.oldest_due_seconds)}.`}</p>
    <h2>Failing webhooks</h2>
    ${writeWebhooks(status.failing_webhooks)}
    <h2>Slow statements</h2>
    ${writeStatements(status.slow_statements)}`)
}

function writeReplay(outbox: string, formToken: string): Html | string {
  // The other kinds have no attempts that wait for a time.
  if (!ReplayedOutbox.safeParse(outbox).success) return 'swept each minute'
  return html`<form method="post" action="/admin/operations/replay"><input type="hidden" name="token" value="${formToken}">
    <button name="outbox" value="${outbox}" aria-label="Attempt now: ${outbox}">Attempt now</button></form>`
}

function writeWebhooks(webhooks: OperationsStatus['failing_webhooks']): Html {
  if (webhooks.length === 0) return html`<p>None.</p>`
  const rows = webhooks.map(
    ({ webhook_id, account_id, failures, failing_since, paused_until, disabled_reason }) => [
      webhook_id,
      account_id,
      String(failures),
      failing_since ?? '',
      disabled_reason ?? (paused_until ? `paused until ${paused_until}` : ''),
    ],
  )
  return writeTable(['Webhook', 'Account', 'Failures', 'Since', 'State'], rows)
}

function writeStatements(statements: OperationsStatus['slow_statements']): Html {
  if (!statements)
    return html`<p>Not known: the database has no extension <code>pg_stat_statements</code>, or its owner is no member of <code>pg_read_all_stats</code>.</p>`
  if (statements.length === 0) return html`<p>None yet.</p>`
  const rows = statements.map(({ query_id, name, calls, mean_ms, total_ms }) => [
    name,
    String(calls),
    `${mean_ms} ms`,
    `${total_ms} ms`,
    query_id,
  ])
  return writeTable(['Statement', 'Calls', 'Mean', 'Total', 'Query id'], rows)
}

function writeTable(headings: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  const head = headings.map((heading) => html`<th scope="col">${heading}</th>`)
  const body = rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)
  // A narrow window scrolls the table, also with the keyboard.
  return html`<div class="table" tabindex="0" role="group" aria-label="${headings[0]}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

const stateTexts = { ok: 'answers', failed: 'does not answer', in_process: 'in this process' }
const writeState = (state: keyof typeof stateTexts) =>
  html`<span class="${state}">${stateTexts[state]}</span>`

function writeDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`
}

function writePage(content: Html): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Operations</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/admin/operations/style.css">
</head>
<body><main><h1>Operations</h1>${content}</main></body>
</html>`)
}
