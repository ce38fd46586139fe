import { escapeHtml } from '#rules/text/html.ts'
import { type OperationsStatus, ReplayedOutbox } from './status.ts'

/** Write the page on which staff sign in. `message` says why they have to. */
export function writeSignIn(message?: string): string {
  return writePage(`
    ${message ? `<p role="alert">${escapeHtml(message)}</p>` : ''}
    <form method="post" action="/admin/operations/sign-in">
      <p><label for="access_token">Access token of a super admin</label>
      <input id="access_token" name="access_token" type="password" required autocomplete="off" aria-describedby="help"></p>
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
  return writePage(`
    ${message ? `<p role="status">${escapeHtml(message)}</p>` : ''}
    ${warnings.map((warning) => `<p role="alert">${escapeHtml(warning)}</p>`).join('')}
    <p>Service ${escapeHtml(versions.service)}, migration ${escapeHtml(versions.migration)}, PostgreSQL ${escapeHtml(versions.postgresql)}.
    <a href="/admin/operations">Reload</a></p>
    <form method="post" action="/admin/operations/sign-out"><button>Sign out</button></form>
    <h2>Dependencies</h2>
    ${writeTable(
      ['Dependency', 'State'],
      Object.entries(status.dependencies).map(([name, state]) => [escapeHtml(name), writeState(state)]),
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

function writeReplay(outbox: string, formToken: string): string {
  // The other kinds have no attempts that wait for a time.
  if (!ReplayedOutbox.safeParse(outbox).success) return 'swept each minute'
  return `<form method="post" action="/admin/operations/replay"><input type="hidden" name="token" value="${formToken}">
    <button name="outbox" value="${outbox}" aria-label="Attempt now: ${outbox}">Attempt now</button></form>`
}

function writeWebhooks(webhooks: OperationsStatus['failing_webhooks']): string {
  if (webhooks.length === 0) return '<p>None.</p>'
  const rows = webhooks.map(({ webhook_id, account_id, failures, failing_since, paused_until, disabled_reason }) =>
    [
      webhook_id,
      account_id,
      String(failures),
      failing_since ?? '',
      disabled_reason ?? (paused_until ? `paused until ${paused_until}` : ''),
    ].map(escapeHtml),
  )
  return writeTable(['Webhook', 'Account', 'Failures', 'Since', 'State'], rows)
}

function writeStatements(statements: OperationsStatus['slow_statements']): string {
  if (!statements)
    return '<p>Not known: the database has no extension <code>pg_stat_statements</code>, or its owner is no member of <code>pg_read_all_stats</code>.</p>'
  if (statements.length === 0) return '<p>None yet.</p>'
  const rows = statements.map(({ query_id, name, calls, mean_ms, total_ms }) =>
    [name, String(calls), `${mean_ms} ms`, `${total_ms} ms`, query_id].map(escapeHtml),
  )
  return writeTable(['Statement', 'Calls', 'Mean', 'Total', 'Query id'], rows)
}

function writeTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${heading}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')
  // A narrow window scrolls the table, also with the keyboard.
  return `<div class="table" tabindex="0" role="group" aria-label="${headings[0]}"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

const stateTexts = { ok: 'answers', failed: 'does not answer', in_process: 'in this process' }
const writeState = (state: keyof typeof stateTexts) => `<span class="${state}">${stateTexts[state]}</span>`

function writeDuration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`
}

function writePage(content: string): string {
  return `<!doctype html>
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
</html>`
}
